#include "model/formats/array_collector.hpp"

#include "base/failure.hpp"

#include <stdexcept>

namespace troupe {

namespace {

constexpr std::size_t most_arrays = 1 << 14; // the layout searches names linearly

} // namespace

Index ArrayCollector::add(const std::string& name, Shape shape) {
  const auto refuse = [&](const std::string& what) {
    throw DataError(path_ + ": the array '" + name + "' " + what);
  };
  if (layout_.parameters().size() == most_arrays)
    refuse("is one too many, after " + std::to_string(most_arrays)
           + "; remove arrays that the model does not have");
  if (shape.empty())
    shape = {1};
  Index size = 1;
  for (const auto n : shape) {
    if (n < 1)
      refuse("has the shape " + to_string(shape) + ", without elements; leave it out");
    if (n > static_cast<Index>(parameter_file_limit) / size)
      refuse("has the shape " + to_string(shape) + ", more elements than a file holds; save it "
             + "again");
    size *= n;
  }
  try {
    return layout_.add(name, std::move(shape));
  } catch (const std::invalid_argument& e) {
    throw DataError(path_ + ": " + e.what() + "; save it again");
  }
}

} // namespace troupe
