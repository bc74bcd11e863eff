#include "model/codecs/error_feedback.hpp"

#include "model/codecs/bytes.hpp"
#include "model/tensor/combine.hpp"

#include <cassert>
#include <utility>

namespace troupe {

ErrorFeedback::ErrorFeedback(Index size) : residual_(size) {}

std::string ErrorFeedback::encode(const WireOptions& options, std::span<const float> values,
                                  std::vector<std::byte>& out) {
  const auto n = values.size();
  if (residual_.view().size() != n) {
    out.clear();
    return "a block of " + std::to_string(n) + " elements, where the residual has "
           + std::to_string(residual_.size());
  }
  sum_.resize(n);
  auto* p = sum_.data();
  const auto* before = residual_.view().data();
  for (std::size_t i = 0; i < n; ++i)
    p[i] = values[i] + before[i];
  if (auto sentence = troupe::encode(options, sum_, out); !sentence.empty())
    return sentence;
  const auto left = residual_.overwrite();
  [[maybe_unused]] const auto broken = decode(options.format, out, left);
  assert(broken.empty()); // the message was encoded here
  auto* r = left.data();
  for (std::size_t i = 0; i < n; ++i) {
    const auto rest = p[i] - r[i];
    r[i] = magnitude(r[i]) < infinite_magnitude ? rest : 0.0f;
  }
  return "";
}

Block ErrorFeedback::flush() { return std::exchange(residual_, Block{residual_.size()}); }

Block with_residual(const Block& values, const Block& residual) {
  if (residual.empty())
    return values;
  auto sum = Block::uninitialized(values.size());
  combine_into(sum.edit(), values.view(), 1, residual.view(), 1);
  return sum;
}

} // namespace troupe
