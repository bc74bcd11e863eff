#include "apps/cluster/restart_budget.hpp"

#include "base/text/text.hpp"

#include <algorithm>

namespace troupe {

RestartBudget::RestartBudget(int most) : most_(static_cast<std::size_t>(std::max(0, most))) {}

std::optional<std::string> RestartBudget::refuse(const Crash& crash, double now) {
  if (most_ == 0)
    return "--restarts is 0";
  if (crash.role == LaunchedRole::holder && !crash.has_state)
    return "it has saved no parameters to resume from";
  while (!restarts_.empty() && restarts_.front() <= now - window)
    restarts_.pop_front();
  if (restarts_.size() >= most_)
    return "the limit of " + quantity(most_, "restart") + " within " + shortest(window)
           + " s (--restarts) is reached";
  auto& in_vain = in_vain_[crash.process];
  if (crash.saved_more || crash.role == LaunchedRole::evaluator)
    in_vain = 0;
  if (in_vain >= most_)
    return "it has saved nothing new in " + quantity(most_, "restart");
  ++in_vain;
  restarts_.push_back(now);
  return std::nullopt;
}

} // namespace troupe
