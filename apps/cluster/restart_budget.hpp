// Limits the restarts of crashed processes of a launched cluster.
#pragma once

#include "apps/cluster/launch_outcome.hpp"

#include <cstddef>
#include <deque>
#include <map>
#include <optional>
#include <string>

namespace troupe {

/// A crash of a process, see LaunchedProcess::has_crashed.
struct Crash {
  LaunchedRole role = LaunchedRole::worker;
  std::size_t process = 0; ///< index among the processes that share the budget
  bool has_state = false;  ///< it has a state to resume from
  bool saved_more = false; ///< it has saved since its last start
};

/// The contract of a supervisor as in Erlang/OTP: crashed processes are restarted, at most `most`
/// times within a minute for all of them together; the next crash ends the cluster. A process that
/// keeps crashing at a slower pace also ends it: after `most` restarts in a row without a new saved
/// state. An evaluator saves nothing, so only the time counts.
///
/// A parameter holder is restarted only if it has a state: an empty one would silently take the
/// first worker's parameters as the shared ones.
class RestartBudget {
public:
  static constexpr double window = 60; ///< seconds

  /// @param most restarts within the window; 0: none
  explicit RestartBudget(int most);

  /// Requests a restart, and counts it. @param now seconds of a monotonic clock
  /// @returns the reason why the process is not restarted; nothing if it is.
  std::optional<std::string> refuse(const Crash& crash, double now);

  /// Restarts within the window up to and including the last one.
  std::size_t spent() const { return restarts_.size(); }

private:
  std::size_t most_;
  std::deque<double> restarts_;                ///< times within the window
  std::map<std::size_t, std::size_t> in_vain_; ///< restarts of each process since it last saved
};

} // namespace troupe
