#pragma once

#include "base/back_off.hpp"

#include <optional>
#include <string>

namespace troupe {

/// Decides when a node looks for the host of its grid again, what people read meanwhile, and when
/// it gives up. Times are seconds of one monotonic clock.
class CoordinatorSearch {
public:
  /// @param patience for which a host that is away is looked for
  explicit CoordinatorSearch(double patience) : patience_(patience) {}

  /// The host is away from here on. @param why people have read; "": they know of nothing yet
  void begin(double now, const std::string& why = "");
  /// Whether a try may begin.
  bool is_due(double now) const { return now >= try_from_; }
  /// A try has failed: the next one is after a longer pause.
  void failed(double now, const std::string& why);

  /// What people are to read, once in a search that takes its time.
  std::optional<std::string> news(double now);
  /// The sentence with which the search ends; nothing while there is patience left.
  std::optional<std::string> end(double now) const;

private:
  double patience_;
  double away_since_ = 0, try_from_ = 0;
  BackOff back_off_;
  std::string last_error_;
  bool told_ = false;
};

} // namespace troupe
