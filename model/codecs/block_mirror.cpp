#include "model/codecs/block_mirror.hpp"

#include <algorithm>
#include <cassert>

namespace troupe {

WireOptions difference_format(const WireOptions& asked) {
  auto options = asked;
  options.keep = std::min(1.0, 2 * asked.keep);
  return options;
}

std::string BlockMirror::encode(const WireOptions& options, const Block& values,
                                std::vector<std::byte>& out) {
  const auto n = values.view().size();
  if (block_.view().size() != n) {
    out.clear();
    return "a block of " + std::to_string(n) + " elements, where the receiver has "
           + std::to_string(block_.size());
  }
  difference_.resize(n);
  const auto *to = values.view().data(), *from = block_.view().data();
  for (std::size_t i = 0; i < n; ++i)
    difference_[i] = to[i] - from[i];
  if (auto sentence = troupe::encode(options, difference_, out); !sentence.empty())
    return sentence;
  [[maybe_unused]] const auto broken = decode(options.format, out, difference_);
  assert(broken.empty()); // the message was encoded here
  add(difference_);
  return "";
}

void BlockMirror::add(std::span<const float> difference) {
  auto* block = block_.edit().data();
  for (std::size_t i = 0; i < difference.size(); ++i)
    block[i] += difference[i];
}

} // namespace troupe
