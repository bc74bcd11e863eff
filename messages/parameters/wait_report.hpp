// Prints lines while workers wait for each other at a parameter holder.
#pragma once

#include "messages/parameters/parameters.hpp"

#include <optional>
#include <string>
#include <vector>

namespace troupe {

/// "worker 2", "workers 2, 4 and 5"
std::string workers_text(const std::vector<WorkerId>& workers);

/// What workers wait for.
struct HolderWait {
  bool for_first_parameters = false; ///< which the main worker creates
  bool for_absent = false;           ///< for workers that have not joined yet
  double join_grace = 0;             ///< how many seconds they are waited for
  WorkerId main = 0;
  std::vector<WorkerId> missing = {}; ///< in the open round
  std::vector<WorkerId> slow = {};    ///< workers that those too far ahead wait for
};

/// Decides when a line says which workers others wait for: after two seconds, and again each
/// time that the wait has lasted thirty times as long.
class WaitReport {
public:
  /// @param seconds duration of the longest wait; less than before means a new wait
  bool is_due(double seconds);
  /// @returns the sentence to report; nothing if no worker waits.
  std::optional<std::string> describe(const HolderWait& wait);

private:
  static constexpr double first = 2, times_as_long = 30;
  double due_at_ = first; ///< seconds of waiting
};

} // namespace troupe
