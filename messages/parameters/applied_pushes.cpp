#include "messages/parameters/applied_pushes.hpp"

#include "messages/requests/error.hpp"

#include <algorithm>

namespace troupe {

namespace {

/// A hash of a push, to be summed in any order (the finaliser of splitmix64).
std::uint64_t push_hash(WorkerId worker, std::uint64_t number) {
  auto x = (static_cast<std::uint64_t>(worker) << 48) + number + 0x9e3779b97f4a7c15;
  x = (x ^ (x >> 30)) * 0xbf58476d1ce4e5b9;
  x = (x ^ (x >> 27)) * 0x94d049bb133111eb;
  return x ^ (x >> 31);
}

} // namespace

void AppliedPushes::join(WorkerId worker, std::uint64_t incarnation) {
  auto& record = records_[worker];
  record.numbers.resize(incarnation, 0);
  record.last_reply = {};
}

caf::error AppliedPushes::check(const PushId& id, const std::string& what) const {
  const auto last = records_.at(id.worker).numbers.back();
  if (id.number < last || id.number == 0)
    return fail(Error::stale, what + " of worker " + std::to_string(id.worker)
                                + " comes after its push " + std::to_string(last)
                                + "; numbers begin at 1 and grow");
  return {};
}

bool AppliedPushes::repeated(const PushId& id) const {
  return id.number == records_.at(id.worker).numbers.back();
}

Applied AppliedPushes::count(const PushId& id, Version based_on, Version version) {
  ++pushes_;
  auto& record = records_.at(id.worker);
  // A push without a round may have overtaken one that waited for its round.
  record.numbers.back() = std::max(record.numbers.back(), id.number);
  record.last_reply = {version, version - 1 > based_on ? version - 1 - based_on : 0};
  return record.last_reply;
}

Applied AppliedPushes::count(const Push& push, Version version) {
  mark_ += push_hash(push.id.worker, push.id.number);
  return count(push.id, push.based_on, version);
}

Applied AppliedPushes::count(const PushPart& push, Version version) {
  return count(push.id, version - 1, version); // only of this shard: the mark stays
}

PushId AppliedPushes::last_push(WorkerId worker) const {
  const auto& numbers = records_.at(worker).numbers;
  return {worker, numbers.size(), numbers.back()};
}

std::map<WorkerId, std::vector<std::uint64_t>> AppliedPushes::numbers() const {
  std::map<WorkerId, std::vector<std::uint64_t>> numbers;
  for (const auto& [worker, record] : records_)
    numbers[worker] = record.numbers;
  return numbers;
}

void AppliedPushes::save(SavedHolder& saved) const {
  saved.pushes = pushes_;
  saved.mark = mark_;
  for (const auto& [worker, record] : records_)
    saved.workers.push_back({worker, record.numbers, record.last_reply});
}

void AppliedPushes::restore(const SavedHolder& saved) {
  pushes_ = saved.pushes;
  mark_ = saved.mark;
  for (const auto& worker : saved.workers)
    records_[worker.worker] = {worker.journal, worker.last_reply};
}

} // namespace troupe
