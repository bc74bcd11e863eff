#pragma once

#include <optional>
#include <utility>

namespace troupe {

/// A time in which parameters are out of reach, and whether people know of it.
class ShardOutage {
public:
  void begin(double now) {
    if (!since_)
      since_ = now;
  }
  /// Whether people are to be told: once for an outage.
  bool is_report_due() { return !std::exchange(reported_, true); }
  bool is_reported() const { return reported_; }

  /// All is in reach again. @returns how many seconds it took where people were told of it.
  std::optional<double> end(double now) {
    const auto since = std::exchange(since_, std::nullopt);
    return std::exchange(reported_, false) && since ? std::optional{now - *since} : std::nullopt;
  }

  std::optional<double> since() const { return since_; }

private:
  std::optional<double> since_; ///< seconds on the clock
  bool reported_ = false;
};

} // namespace troupe
