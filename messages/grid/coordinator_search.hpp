#pragma once

#include "base/back_off.hpp"

#include <optional>
#include <string>

namespace troupe {

/// Decides when a node tries again to reach the coordinator of its grid, what it reports meanwhile,
/// and when it gives up. Times are seconds of one monotonic clock.
class CoordinatorSearch {
public:
  /// @param patience seconds after which the node gives up
  explicit CoordinatorSearch(double patience) : patience_(patience) {}

  /// The coordinator is unreachable from now on. @param why what was reported already; "": nothing
  void begin(double now, const std::string& why = "");
  /// Whether an attempt may begin.
  bool is_due(double now) const { return now >= try_from_; }
  /// An attempt has failed: the next one follows after a longer pause.
  void failed(double now, const std::string& why);

  /// What to report, once in a search that takes long.
  std::optional<std::string> report(double now);
  /// The sentence with which the search ends; nothing while patience is left.
  std::optional<std::string> end(double now) const;

private:
  double patience_;
  double away_since_ = 0, try_from_ = 0;
  BackOff back_off_;
  std::string last_error_;
  bool reported_ = false;
};

} // namespace troupe
