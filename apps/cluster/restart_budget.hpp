// When a process of a launched cluster that has crashed is started again, and when that ends.
#pragma once

#include "apps/cluster/launch_outcome.hpp"

#include <cstddef>
#include <deque>
#include <map>
#include <optional>
#include <string>

namespace troupe {

/// A process that has crashed, as LaunchedProcess::has_crashed tells.
struct Crash {
  LaunchedRole role = LaunchedRole::worker;
  std::size_t process = 0; ///< which of those that share the budget
  bool has_state = false;  ///< it has saved something to go on from
  bool saved_more = false; ///< since it was started the last time
};

/// The contract of a supervisor (as Erlang/OTP's): processes that crash are started again, at most
/// `most` times within a minute, all of them together; the next crash ends it. A process that
/// crashes more slowly, and at one place for ever, ends it, too: at most `most` starts in a row are
/// without anything new that is saved. An evaluator saves nothing, and only the time counts.
///
/// A parameter holder is started again only where it goes on from a state: empty, it would take the
/// first worker's parameters for those of all, and nobody would hear of it.
class RestartBudget {
public:
  static constexpr double window = 60; ///< seconds

  /// @param most restarts within the window; 0: none at all
  explicit RestartBudget(int most);

  /// Asks for a restart, and counts it. @param now in seconds, of a clock that never goes back
  /// @returns why the process is not started again; nothing where it is.
  std::optional<std::string> refuse(const Crash& crash, double now);

  /// Restarts within the window up to the last one, itself included.
  std::size_t spent() const { return restarts_.size(); }

private:
  std::size_t most_;
  std::deque<double> restarts_;                ///< when, within the window
  std::map<std::size_t, std::size_t> in_vain_; ///< of each process, since it last saved
};

} // namespace troupe
