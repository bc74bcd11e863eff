#include "messages/parameters/pace.hpp"

#include "model/update_rules/update_rule_kind.hpp"

#include <algorithm>
#include <iterator>
#include <limits>

namespace troupe {

void Pace::enter(WorkerId worker, const std::vector<WorkerId>& others) {
  leave(worker);
  auto slowest = std::numeric_limits<std::uint64_t>::max();
  for (auto other : others)
    if (auto found = runners_.find(other); other != worker && found != runners_.end())
      slowest = std::min(slowest, found->second.clock);
  runners_[worker].clock = slowest == std::numeric_limits<std::uint64_t>::max() ? 0 : slowest;
}

void Pace::leave(WorkerId worker) {
  runners_.erase(worker);
  round_.erase(worker);
  held_.erase(worker);
}

void Pace::pushed(WorkerId worker, Staleness staleness) {
  auto& runner = runners_[worker];
  ++runner.clock;
  runner.staleness = staleness;
}

std::string Pace::defect_in_round(const Push& push) const {
  const auto own = text_of(push.rule);
  for (const auto& [worker, other] : round_)
    if (const auto rule = text_of(other.rule); worker != push.id.worker && rule != own)
      return "worker " + std::to_string(push.id.worker) + " syncs by the rule " + own
             + ", but in the same round worker " + std::to_string(worker) + " by " + rule
             + "; give all workers one configuration";
  return "";
}

void Pace::contribute(Push push) {
  runners_[push.id.worker].staleness = push.staleness;
  auto& kept = round_[push.id.worker];
  if (kept.id.number <= push.id.number) // one that was given up may still arrive
    kept = std::move(push);
}

std::vector<WorkerId> Pace::missing(const std::vector<WorkerId>& training) const {
  std::vector<WorkerId> result;
  for (auto worker : training) {
    const auto found = runners_.find(worker);
    const auto runs_free = found != runners_.end() && found->second.staleness
                           && !found->second.staleness->synchronous();
    if (!runs_free && !round_.contains(worker))
      result.push_back(worker);
  }
  return result;
}

std::vector<Push> Pace::take_round() {
  std::vector<Push> pushes;
  for (auto& [worker, push] : round_) {
    ++runners_[worker].clock;
    pushes.push_back(std::move(push));
  }
  round_.clear();
  return pushes;
}

bool Pace::too_far_ahead(WorkerId worker, WorkerId other) const {
  const auto one = runners_.find(worker), behind = runners_.find(other);
  if (one == runners_.end() || !one->second.staleness || !one->second.staleness->bounded()
      || behind == runners_.end())
    return false;
  const auto ahead = static_cast<std::uint64_t>(one->second.staleness->bound);
  return one->second.clock > behind->second.clock + ahead;
}

bool Pace::may_continue(WorkerId worker, const std::vector<WorkerId>& training) const {
  const auto one = runners_.find(worker);
  if (one == runners_.end() || !one->second.staleness || !one->second.staleness->bounded())
    return true; // whatever the others do, of which there may be thousands
  return std::none_of(training.begin(), training.end(),
                      [&](WorkerId other) { return too_far_ahead(worker, other); });
}

std::vector<WorkerId> Pace::too_slow(const std::vector<WorkerId>& training) const {
  std::vector<WorkerId> slow;
  std::copy_if(training.begin(), training.end(), std::back_inserter(slow), [this](WorkerId other) {
    return std::any_of(held_.begin(), held_.end(),
                       [&](WorkerId worker) { return too_far_ahead(worker, other); });
  });
  return slow;
}

std::vector<WorkerId> Pace::release(const std::vector<WorkerId>& training) {
  std::vector<WorkerId> released;
  for (auto worker : held_)
    if (may_continue(worker, training))
      released.push_back(worker);
  for (auto worker : released)
    held_.erase(worker);
  return released;
}

} // namespace troupe
