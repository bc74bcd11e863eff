#include "messages/inspection/inspect.hpp"

#include <caf/binary_deserializer.hpp>
#include <caf/sec.hpp>

namespace troupe {

caf::error inspect(caf::serializer& f, Block& x) {
  auto size = static_cast<std::size_t>(x.size());
  if (auto error = f.begin_sequence(size))
    return error;
  // apply_raw is one function for both directions, hence the cast; writing only reads.
  auto* bytes = const_cast<float*>(x.view().data());
  return size == 0 ? caf::error{} : f.apply_raw(size * sizeof(float), bytes);
}

caf::error inspect(caf::deserializer& f, Block& x) {
  std::size_t size = 0;
  if (auto error = f.begin_sequence(size))
    return error;
  if (size > largest_block)
    return caf::sec::end_of_stream;
  if (auto* binary = dynamic_cast<caf::binary_deserializer*>(&f);
      binary != nullptr && size > binary->remaining() / sizeof(float))
    return caf::sec::end_of_stream;
  if (size == 0) {
    x = Block{};
    return caf::none;
  }
  x = Block::uninitialized(static_cast<Index>(size));
  return f.apply_raw(size * sizeof(float), x.edit().data());
}

caf::error inspect(caf::serializer& f, Schedule& x) {
  auto text = to_string(x);
  return f(text);
}

caf::error inspect(caf::deserializer& f, Schedule& x) {
  std::string text;
  if (auto error = f(text))
    return error;
  try {
    x = parse_schedule(text, {"*"}); // timelines of other nodes have other names
  } catch (const std::invalid_argument&) {
    return caf::sec::invalid_argument;
  }
  return caf::none;
}

} // namespace troupe
