// Starts the processes of a launched cluster again that have crashed, as far as a RestartBudget
// lets it.
#pragma once

#include "apps/cluster/launched_processes.hpp"

#include <chrono>
#include <map>
#include <string>
#include <vector>

namespace troupe {

class LaunchSupervisor {
public:
  /// @param restarts within a minute, at most; 0: none. Those of an evaluator, without which
  /// training goes on, do not count against the others'.
  LaunchSupervisor(LaunchedProcesses& processes, int restarts);

  /// Starts again who has crashed, and tells people. Whoever is refused once stays as it is.
  /// @returns the places of those who were started
  std::vector<std::size_t> look();

  /// "failed with exit code 70 and is not started again: ..."
  std::string end_text(std::size_t place) const;

private:
  using Clock = std::chrono::steady_clock;

  bool start_again(std::size_t place);

  LaunchedProcesses& processes_;
  int most_;
  RestartBudget restarts_, restarts_of_evaluator_;
  std::map<std::size_t, std::string> refused_; ///< by place, and why
  Clock::time_point began_ = Clock::now();
};

} // namespace troupe
