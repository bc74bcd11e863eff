#pragma once

#include <optional>
#include <utility>

namespace troupe {

/// A time in which parameters are unreachable, and whether it was printed.
class ShardOutage {
public:
  void begin(double now) {
    if (!since_)
      since_ = now;
  }
  /// Whether to report it: once per outage.
  bool is_report_due() { return !std::exchange(reported_, true); }
  bool is_reported() const { return reported_; }

  /// All shards are reachable again. @returns the duration in seconds if the outage was reported.
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
