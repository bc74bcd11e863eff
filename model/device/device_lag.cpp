#include "model/device/device_lag.hpp"

#include <algorithm>

namespace troupe {

void DeviceLag::waited(std::size_t done, double now) {
  constexpr double longest = 0.004; // seconds
  constexpr double least = 2, most = 64;
  done_ += done;
  if (since_) {
    const auto passed = now - *since_;
    if (done_ < most_ || passed <= 0)
      return;
    const auto steps = longest / passed * static_cast<double>(done_);
    most_ = static_cast<std::size_t>(std::clamp(steps, least, most));
  }
  done_ = 0;
  since_ = now;
}

} // namespace troupe
