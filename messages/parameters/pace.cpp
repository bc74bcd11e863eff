#include "messages/parameters/pace.hpp"

#include "model/update_rules/update_rule_kind.hpp"

#include <algorithm>
#include <utility>

namespace troupe {

void Pace::enter(WorkerId worker) {
  leave(worker);
  const auto clock = slowest();
  clocks_.insert(clock);
  none_until_.reset(); // the clocks may begin anew
  changed(worker, runners_[worker] = {clock, {}});
}

void Pace::leave(WorkerId worker) {
  if (const auto runner = runners_.extract(worker))
    clocks_.erase(clocks_.find(runner.mapped().clock));
  round_.erase(worker);
  missing_.erase(worker);
  held_.erase(worker);
}

void Pace::advance(Runner& runner) {
  clocks_.erase(clocks_.find(runner.clock));
  clocks_.insert(++runner.clock);
}

void Pace::changed(WorkerId worker, const Runner& runner) {
  const auto runs_free = runner.staleness && !runner.staleness->synchronous();
  if (runs_free || round_.contains(worker))
    missing_.erase(worker);
  else
    missing_.insert(worker);
  if (held_.contains(worker))
    none_until_.reset();
}

void Pace::pushed(WorkerId worker, Staleness staleness) {
  const auto found = runners_.find(worker);
  if (found == runners_.end())
    return;
  advance(found->second);
  found->second.staleness = staleness;
  changed(worker, found->second);
}

std::string Pace::defect_in_round(const Push& push) const {
  const auto other = std::find_if(round_.begin(), round_.end(),
                                  [&](const auto& one) { return one.first != push.id.worker; });
  if (other == round_.end())
    return "";
  const auto own = text_of(push.rule), rule = text_of(other->second.rule);
  return rule == own ? ""
                     : "worker " + std::to_string(push.id.worker) + " syncs by the rule " + own
                         + ", but in the same round worker " + std::to_string(other->first) + " by "
                         + rule + "; give all workers one configuration";
}

void Pace::contribute(Push push) {
  const auto worker = push.id.worker;
  const auto staleness = push.staleness;
  auto& kept = round_[worker];
  if (kept.id.number <= push.id.number) // one that was given up may still arrive
    kept = std::move(push);
  if (const auto found = runners_.find(worker); found != runners_.end()) {
    found->second.staleness = staleness;
    changed(worker, found->second);
  }
}

std::vector<Push> Pace::take_round() {
  std::vector<Push> pushes;
  for (auto& [worker, push] : std::exchange(round_, {})) {
    pushes.push_back(std::move(push));
    if (const auto found = runners_.find(worker); found != runners_.end()) {
      advance(found->second);
      changed(worker, found->second);
    }
  }
  return pushes;
}

std::uint64_t Pace::least_clock(const Runner& runner) {
  if (!runner.staleness || !runner.staleness->bounded())
    return 0;
  const auto ahead = static_cast<std::uint64_t>(runner.staleness->bound);
  return runner.clock - std::min(ahead, runner.clock);
}

bool Pace::may_continue(WorkerId worker) const {
  const auto found = runners_.find(worker);
  return found == runners_.end() || slowest() >= least_clock(found->second);
}

std::vector<WorkerId> Pace::too_slow() const {
  std::uint64_t least = 0;
  for (auto worker : held_)
    least = std::max(least, least_clock(runners_.at(worker)));
  std::vector<WorkerId> slow;
  for (const auto& [worker, runner] : runners_)
    if (runner.clock < least)
      slow.push_back(worker);
  return slow;
}

std::vector<WorkerId> Pace::release() {
  std::vector<WorkerId> released;
  if (none_until_ == slowest())
    return released;
  none_until_ = slowest();
  for (auto worker : held_)
    if (may_continue(worker))
      released.push_back(worker);
  for (auto worker : released)
    held_.erase(worker);
  return released;
}

} // namespace troupe
