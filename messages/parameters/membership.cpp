#include "messages/parameters/membership.hpp"

#include "messages/requests/error.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

namespace troupe {

namespace {

/// Weight of the newest interval in the averages, as in TCP's round-trip estimate (Jacobson, 1988).
constexpr double newest = 0.125;

} // namespace

caf::error not_joined(WorkerId worker, const std::string& what) {
  return fail(Error::not_joined, "worker " + std::to_string(worker) + " sends " + what
                                   + " but has not joined; send Join");
}

caf::error stale_incarnation(WorkerId worker, const std::string& what, std::uint64_t incarnation,
                             std::uint64_t current) {
  return fail(Error::stale, what + " of worker " + std::to_string(worker)
                              + " is from its incarnation " + std::to_string(incarnation)
                              + ", the current one is " + std::to_string(current)
                              + "; it is not applied: pull and continue from there");
}

std::uint64_t Membership::join(WorkerId worker, double lease, bool is_reader, double now,
                               std::uint64_t process, WorkerId workers) {
  auto& member = members_[worker];
  if (member.process != 0 && member.process != process)
    member.superseded.insert(member.process);
  member.process = process;
  member.workers = workers;
  ++member.incarnation;
  member.lease = lease;
  member.joined = true;
  member.lost = false;
  member.is_reader = is_reader;
  if (is_reader) {
    training_.erase(worker);
  } else {
    training_.insert(worker);
    ever_joined_ += member.trained ? 0 : 1;
    member.trained = true;
  }
  member.last_seen = now;
  member.mean = lease;
  member.deviation = lease / 4;
  return member.incarnation;
}

caf::error Membership::check_count(WorkerId worker, WorkerId workers) const {
  if (workers == 0)
    return {};
  const auto knows
    = [&](WorkerId other) { return other != worker && members_.at(other).workers != 0; };
  const auto other = std::find_if(training_.begin(), training_.end(), knows);
  if (other == training_.end()) // those that know it agree: each was checked
    return {};
  const auto known = members_.at(*other).workers;
  if (known == workers)
    return {};
  return fail(Error::invalid_options,
              "worker " + std::to_string(worker) + " is one of " + std::to_string(workers)
                + " workers, but worker " + std::to_string(*other)
                + ", which has joined, is one of " + std::to_string(known)
                + "; give all the same --workers, or wait until the earlier workers are gone");
}

bool Membership::superseded(WorkerId worker, std::uint64_t process) const {
  const auto found = members_.find(worker);
  return found != members_.end() && found->second.superseded.contains(process);
}

bool Membership::belongs_to_other_process(WorkerId worker, std::uint64_t process) const {
  const auto found = members_.find(worker);
  return found != members_.end() && (found->second.joined || found->second.lost)
         && !found->second.is_reader && found->second.process != process;
}

void Membership::leave(WorkerId worker) {
  const auto found = members_.find(worker);
  if (found == members_.end())
    return;
  training_.erase(worker);
  found->second.joined = found->second.lost = false;
  found->second.process = 0;
}

caf::error Membership::check(WorkerId worker, std::uint64_t incarnation,
                             const std::string& what) const {
  const auto found = members_.find(worker);
  if (found == members_.end() || (!found->second.joined && !found->second.lost))
    return not_joined(worker, what);
  const auto& member = found->second;
  if (incarnation != member.incarnation)
    return stale_incarnation(worker, what, incarnation, member.incarnation);
  if (member.lost)
    return fail(Error::not_joined, what + " of worker " + std::to_string(worker)
                                     + " comes after its lease has ended; it is not applied: join "
                                       "again and continue from there");
  return {};
}

void Membership::renew(WorkerId worker, double now) {
  const auto found = members_.find(worker);
  if (found == members_.end() || !found->second.joined)
    return;
  auto& member = found->second;
  const auto interval = now - member.last_seen;
  member.last_seen = now;
  if (interval < member.lease / 2) // a push between two renewals says nothing about their rhythm
    return;
  member.deviation += newest * (std::abs(interval - member.mean) - member.deviation);
  member.mean += newest * (interval - member.mean);
}

double Membership::deadline(const Member& member) {
  return std::clamp(member.mean + 4 * member.deviation, 2 * member.lease, 3 * member.lease);
}

std::vector<WorkerId> Membership::expire(double now) {
  std::vector<WorkerId> ended;
  for (auto& [worker, member] : members_)
    if (member.joined && member.lease > 0 && now - member.last_seen >= deadline(member)) {
      member.joined = false;
      member.lost = true;
      training_.erase(worker);
      ended.push_back(worker);
    }
  return ended;
}

double Membership::next_end(double now) const {
  auto least = std::numeric_limits<double>::infinity();
  for (const auto& [worker, member] : members_)
    if (member.joined && member.lease > 0)
      least = std::min(least, member.last_seen + deadline(member) - now);
  return least;
}

bool Membership::joined(WorkerId worker) const {
  const auto found = members_.find(worker);
  return found != members_.end() && found->second.joined;
}

bool Membership::is_reader(WorkerId worker) const {
  const auto found = members_.find(worker);
  return found != members_.end() && found->second.is_reader;
}

std::vector<WorkerId> Membership::live() const {
  std::vector<WorkerId> result;
  for (const auto& [worker, member] : members_)
    if (member.joined)
      result.push_back(worker);
  return result;
}

std::vector<WorkerId> Membership::lost() const {
  std::vector<WorkerId> result;
  for (const auto& [worker, member] : members_)
    if (member.lost)
      result.push_back(worker);
  return result;
}

bool Membership::has_ended_at_other_size(WorkerId workers) const {
  return workers != 0 && training_.empty()
         && std::any_of(members_.begin(), members_.end(), [&](const auto& entry) {
              const auto& member = entry.second;
              return member.trained && member.workers != 0 && member.workers != workers;
            });
}

void Membership::forget_departed() {
  for (auto& [worker, member] : members_)
    member.trained = false;
  ever_joined_ = 0;
}

bool Membership::has_joined(WorkerId worker) const {
  const auto found = members_.find(worker);
  return found != members_.end() && found->second.trained;
}

std::uint64_t Membership::incarnation(WorkerId worker) const {
  const auto found = members_.find(worker);
  return found == members_.end() ? 0 : found->second.incarnation;
}

void Membership::remember(WorkerId worker, std::uint64_t incarnation) {
  auto& member = members_[worker];
  member.incarnation = std::max(member.incarnation, incarnation);
}

} // namespace troupe
