// Restarts crashed processes of a launched cluster, as far as a RestartBudget allows.
#pragma once

#include "apps/cluster/launched_processes.hpp"

#include <chrono>
#include <map>
#include <string>
#include <vector>

namespace troupe {

class LaunchSupervisor {
public:
  /// @param restarts largest number within a minute; 0: none. An evaluator, which training can do
  /// without, has its own budget.
  LaunchSupervisor(LaunchedProcesses& processes, int restarts);

  /// Restarts crashed processes and reports each restart. A process that was refused once is not restarted
  /// later. @returns the indices of the restarted processes
  std::vector<std::size_t> restart_crashed();

  /// "failed with exit code 70 and is not restarted: ..."
  std::string end_text(std::size_t place) const;

private:
  using Clock = std::chrono::steady_clock;

  bool restart(std::size_t place);

  LaunchedProcesses& processes_;
  int most_;
  RestartBudget restarts_, restarts_of_evaluator_;
  std::map<std::size_t, std::string> refused_; ///< reason by index
  Clock::time_point began_ = Clock::now();
};

} // namespace troupe
