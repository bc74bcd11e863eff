#pragma once

#include <cstdint>
#include <optional>

namespace troupe {

/// Counts requests that are refused, and says when a line reports them: a flood of guesses is no flood
/// of lines.
class RefusedRequests {
public:
  /// @returns how many there were so far if they are to be reported now: at most once in a second.
  std::optional<std::uint64_t> add(double now) {
    constexpr double least_seconds = 1;
    ++count_;
    if (told_at_ && now - *told_at_ < least_seconds)
      return {};
    told_at_ = now;
    return count_;
  }

private:
  std::uint64_t count_ = 0;
  std::optional<double> told_at_; ///< seconds on the clock
};

} // namespace troupe
