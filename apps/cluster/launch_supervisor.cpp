#include "apps/cluster/launch_supervisor.hpp"

#include "base/failure.hpp"

#include <iostream>
#include <utility>

namespace troupe {

LaunchSupervisor::LaunchSupervisor(LaunchedProcesses& processes, int restarts)
  : processes_(processes),
    most_(restarts),
    restarts_(restarts),
    restarts_of_evaluator_(restarts) {}

std::vector<std::size_t> LaunchSupervisor::restart_crashed() {
  std::vector<std::size_t> started;
  for (std::size_t place = 0; place < processes_.size(); ++place)
    if (processes_.process(place).has_crashed() && !refused_.contains(place) && restart(place))
      started.push_back(place);
  return started;
}

bool LaunchSupervisor::restart(std::size_t place) {
  const auto crash = processes_.crash(place);
  auto& budget = crash.role == LaunchedRole::evaluator ? restarts_of_evaluator_ : restarts_;
  const auto now = std::chrono::duration<double>(Clock::now() - began_).count();
  if (auto refusal = budget.refuse(crash, now)) {
    refused_[place] = std::move(*refusal);
    return false;
  }
  const auto end = processes_.end_text(place);
  try {
    processes_.restart(place);
  } catch (const Failure& e) {
    refused_[place] = e.what();
    return false;
  }
  std::cerr << "troupe: " << processes_.name(place) << " " << end << " and is restarted ("
            << budget.spent() << " of " << most_ << " restarts within " << RestartBudget::window
            << " s)" << std::endl;
  return true;
}

std::string LaunchSupervisor::end_text(std::size_t place) const {
  const auto refusal = refused_.find(place);
  return processes_.end_text(place)
         + (refusal == refused_.end() ? "" : " and is not restarted: " + refusal->second);
}

} // namespace troupe
