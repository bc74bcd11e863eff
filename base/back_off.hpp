#pragma once

#include <algorithm>

namespace troupe {

/// Seconds to wait before the next try: 0.1, then twice as long each time, at most 2.
class BackOff {
public:
  double next() {
    const auto wait = wait_;
    wait_ = std::min(2 * wait_, longest);
    return wait;
  }
  void reset() { wait_ = first; }

private:
  static constexpr double first = 0.1, longest = 2;
  double wait_ = first;
};

} // namespace troupe
