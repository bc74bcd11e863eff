#include "actors/parameters/waiting_pushes.hpp"

#include "messages/wire/type_ids.hpp"

#include <algorithm>
#include <utility>

namespace troupe {

void WaitingPushes::Waiting::answer(Parameters parameters, const EndedWait& ended) {
  parameters.at_holder = {since,
                          ended.at,
                          worked + ended.worked,
                          std::max(0.0, ended.last_push - since),
                          ended.last_worker,
                          std::max(0.0, ended.at - std::max(since + worked, ended.last_push))};
  if (exchange.pending())
    exchange.deliver(std::move(parameters));
  else if (push.pending())
    push.deliver(Applied{parameters.version, parameters.staleness});
}

void WaitingPushes::Waiting::refuse(const caf::error& error) {
  if (exchange.pending())
    exchange.deliver(error);
  if (push.pending())
    push.deliver(error);
}

void WaitingPushes::add(WorkerId worker, double now, double worked,
                        caf::typed_response_promise<Parameters> exchange) {
  waiting_.emplace(worker, Waiting{now, worked, std::move(exchange), {}});
}

void WaitingPushes::add(WorkerId worker, double now, caf::typed_response_promise<Applied> push) {
  waiting_.emplace(worker, Waiting{now, 0, {}, std::move(push)});
}

std::vector<WaitingPushes::Waiting> WaitingPushes::take(WorkerId worker) {
  std::vector<Waiting> taken;
  const auto [begin, end] = waiting_.equal_range(worker);
  for (auto one = begin; one != end; ++one)
    taken.push_back(std::move(one->second));
  waiting_.erase(begin, end);
  return taken;
}

void WaitingPushes::answer(const Settled& settled, const EndedWait& ended) {
  for (auto& one : take(settled.id.worker))
    one.answer(settled.parameters, ended);
}

void WaitingPushes::refuse(WorkerId worker, const caf::error& error) {
  for (auto& one : take(worker))
    one.refuse(error);
}

void WaitingPushes::refuse_all(const caf::error& error) {
  for (auto& [worker, one] : std::exchange(waiting_, {}))
    one.refuse(error);
}

double WaitingPushes::longest(double now) const {
  auto longest = 0.0;
  for (const auto& [worker, one] : waiting_)
    longest = std::max(longest, now - one.since);
  return longest;
}

std::vector<WorkerId> WaitingPushes::workers() const {
  std::vector<WorkerId> workers;
  for (auto one = waiting_.begin(); one != waiting_.end(); one = waiting_.upper_bound(one->first))
    workers.push_back(one->first);
  return workers;
}

} // namespace troupe
