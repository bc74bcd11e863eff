#pragma once

#include "messages/parameters/parameters.hpp"

#include <map>
#include <set>
#include <vector>

namespace troupe {

/// Who takes part in a cluster: who has joined, who is alive by its lease, who is main. Times are
/// seconds of one monotonic clock.
///
/// A lease that is not renewed ends after its mean interval and four deviations, as far as they
/// were seen, but not before two renewals were due and not after three: a busy node gets time, a
/// dead one is noticed within three renewals.
class Membership {
public:
  /// @param process joins; one that was here before it and has not left is superseded, for good
  /// @param workers there are, as it knows; 0: it does not
  /// @returns the worker's new incarnation. A lease of 0 never ends.
  std::uint64_t join(WorkerId worker, double lease, bool observes, double now,
                     std::uint64_t process = 0, WorkerId workers = 0);
  /// @returns the refusal of a worker that knows of another number of workers than one that is
  /// there and trains: they would not have the same shares of the data.
  caf::error check_count(WorkerId worker, WorkerId workers) const;
  bool superseded(WorkerId worker, std::uint64_t process) const;
  /// Whether another process trains, or will again, as this worker.
  bool trained_by_another(WorkerId worker, std::uint64_t process) const;
  void leave(WorkerId worker);

  /// @returns the refusal of a renewal or push that is not of the worker's present incarnation.
  caf::error check(WorkerId worker, std::uint64_t incarnation, const std::string& what) const;
  void renew(WorkerId worker, double now);

  /// Takes those for lost whose leases have ended. @returns them.
  std::vector<WorkerId> expire(double now);
  /// Seconds until the next lease could end; infinite where there is none.
  double next_end(double now) const;

  bool joined(WorkerId worker) const;
  bool observes(WorkerId worker) const;   ///< by its last Join, whether it is still there or not
  std::vector<WorkerId> live() const;     ///< by number, observers among them
  std::vector<WorkerId> training() const; ///< without observers
  std::vector<WorkerId> lost() const;
  /// The lowest number that trains: validates and saves. 0 where nobody is there.
  WorkerId main() const;
  std::size_t ever_joined() const;  ///< workers that train, whether they are still there or not
  bool came(WorkerId worker) const; ///< has joined to train, whether it is still there or not
  /// Whether nobody trains any more, and who did was of another number of workers: a cluster of
  /// `workers` (0: of any) begins anew.
  bool are_of_another(WorkerId workers) const;
  void forget_who_came(); ///< as if those that have gone had never been there
  std::uint64_t incarnation(WorkerId worker) const; ///< 0: never joined

  /// After a restart: the next Join gets a later incarnation than any before.
  void remember(WorkerId worker, std::uint64_t incarnation);

private:
  struct Member {
    std::uint64_t incarnation = 0;
    double lease = 0;
    bool joined = false, lost = false, observes = false, trained = false;
    double last_seen = 0;
    double mean = 0, deviation = 0;     ///< of the intervals between renewals
    std::uint64_t process = 0;          ///< that has joined last; 0: not told, or it has left
    std::set<std::uint64_t> superseded; ///< processes
    WorkerId workers = 0;               ///< that it knows of
  };
  static double deadline(const Member& member);

  std::map<WorkerId, Member> members_;
};

} // namespace troupe
