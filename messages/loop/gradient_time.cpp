#include "messages/loop/gradient_time.hpp"

namespace troupe {

namespace {

/// Visits all places of a group evenly: multiples of the golden ratio, modulo 1.
std::uint64_t place_to_split(std::uint64_t group) {
  return static_cast<std::uint32_t>(group * 0x9E3779B9u) >> 28; // below GradientTime::group
}

} // namespace

void GradientTime::count(std::optional<double> gradient, double rest) {
  if (batches_ == group) // the first batches allocate: later ones are not like them
    sample_ = sample_of_gradient_ = 0;
  if (!gradient) {
    whole_ += rest;
  } else {
    known_ += *gradient;
    if (splits_next()) {
      sample_ += *gradient + rest;
      sample_of_gradient_ += *gradient;
    }
  }
  if (++batches_ % group == 0)
    place_ = place_to_split(batches_ / group - 1);
}

double GradientTime::seconds() const {
  return known_ + (sample_ > 0 ? whole_ * sample_of_gradient_ / sample_ : 0);
}

} // namespace troupe
