#pragma once

#include "messages/parameters/parameters.hpp"

#include <map>
#include <set>
#include <string>
#include <vector>

namespace troupe {

/// The refusal of what a worker sends that is no member. @param what "a push"
caf::error not_joined(WorkerId worker, const std::string& what);
/// The refusal of what is not of the worker's current incarnation. @param what "push 7"
caf::error stale_incarnation(WorkerId worker, const std::string& what, std::uint64_t incarnation,
                             std::uint64_t current);

/// The members of a cluster: which workers have joined, which are alive by their leases, which one
/// is main. Times are seconds of one monotonic clock.
///
/// A lease that is not renewed ends after the mean observed interval plus four deviations, but not
/// before two renewals were due and not after three: a busy node gets time, a dead one is detected
/// within three renewals.
class Membership {
public:
  /// @param process that joins; another one that joined before and has not left is superseded for
  /// good
  /// @param workers number of workers in the cluster as the process knows it; 0: unknown
  /// @returns the worker's new incarnation. A lease of 0 never ends.
  std::uint64_t join(WorkerId worker, double lease, bool is_reader, double now,
                     std::uint64_t process = 0, WorkerId workers = 0);
  /// @returns the refusal of a worker that expects another number of workers than one that trains
  /// already: they would not have the same shards of the data.
  caf::error check_count(WorkerId worker, WorkerId workers) const;
  bool superseded(WorkerId worker, std::uint64_t process) const;
  /// Whether another process trains, or will again, as this worker.
  bool belongs_to_other_process(WorkerId worker, std::uint64_t process) const;
  void leave(WorkerId worker);

  /// @returns the refusal of a renewal or push that is not of the worker's current incarnation.
  caf::error check(WorkerId worker, std::uint64_t incarnation, const std::string& what) const;
  void renew(WorkerId worker, double now);

  /// Marks workers as lost whose leases have ended. @returns them.
  std::vector<WorkerId> expire(double now);
  /// Seconds until the next lease could end; infinite if there is none.
  double next_end(double now) const;

  bool joined(WorkerId worker) const;
  bool is_reader(WorkerId worker) const; ///< by its last Join, even if it is gone
  std::vector<WorkerId> live() const;    ///< by number, including readers
  const std::set<WorkerId>& training() const { return training_; } ///< without readers
  std::vector<WorkerId> lost() const;
  /// The lowest number that trains: validates and saves. 0 if no worker has joined.
  WorkerId main() const { return training_.empty() ? 0 : *training_.begin(); }
  /// Number of workers that have joined to train, even if they are gone.
  std::size_t ever_joined() const { return ever_joined_; }
  bool has_joined(WorkerId worker) const; ///< has joined to train, even if it is gone
  /// Whether no worker trains any more and those that did belonged to another number of workers: a
  /// cluster of `workers` (0: any) starts over.
  bool has_ended_at_other_size(WorkerId workers) const;
  void forget_departed(); ///< as if the workers that are gone had never joined
  std::uint64_t incarnation(WorkerId worker) const; ///< 0: never joined

  /// After a restart: the next Join gets a higher incarnation than any before.
  void remember(WorkerId worker, std::uint64_t incarnation);

private:
  struct Member {
    std::uint64_t incarnation = 0;
    double lease = 0;
    bool joined = false, lost = false, is_reader = false, trained = false;
    double last_seen = 0;
    double mean = 0, deviation = 0;     ///< of the intervals between renewals
    std::uint64_t process = 0;          ///< that joined last; 0: unknown, or it has left
    std::set<std::uint64_t> superseded; ///< processes
    WorkerId workers = 0;               ///< number of workers that it expects
  };
  static double deadline(const Member& member);

  std::map<WorkerId, Member> members_;
  std::set<WorkerId> training_; ///< joined, and no readers
  std::size_t ever_joined_ = 0; ///< members that have `trained`
};

} // namespace troupe
