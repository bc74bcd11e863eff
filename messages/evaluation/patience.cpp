#include "messages/evaluation/patience.hpp"

#include <algorithm>
#include <stdexcept>

namespace troupe {

namespace {

/// No count exceeds it (see Position), and it fits into a signed number.
constexpr std::uint64_t longest_patience = std::uint64_t{1} << 53;

} // namespace

Patience::Patience(Epoch epochs, Step batches)
  : epochs_(std::min(epochs, longest_patience)),
    batches_(std::min(batches, longest_patience)) {
  if (epochs != 0 && batches != 0)
    throw std::invalid_argument("the patience is " + std::to_string(epochs) + " epochs and "
                                + std::to_string(batches)
                                + " batches; give either epochs or batches");
  if (epochs == 0 && batches == 0)
    throw std::invalid_argument("the patience is missing; give the number of epochs or of batches "
                                "without improvement after which training ends, like epochs: 5");
}

void Patience::update(const Position& now, bool best) {
  if (best)
    state_ = {true, now.epochs, now.batches};
}

std::int64_t Patience::left(const Position& now) const {
  const auto whole = epochs_ != 0 ? epochs_ : batches_;
  if (!begun())
    return static_cast<std::int64_t>(whole);
  const auto passed = epochs_ != 0 ? now.epochs - state_.epochs : now.batches - state_.batches;
  return static_cast<std::int64_t>(whole) - static_cast<std::int64_t>(passed);
}

std::string Patience::text() const {
  const auto whole = epochs_ != 0 ? epochs_ : batches_;
  if (whole == 1)
    return epochs_ != 0 ? "1 epoch" : "1 batch";
  return std::to_string(whole) + " " + unit();
}

} // namespace troupe
