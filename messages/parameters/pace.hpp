#pragma once

#include "messages/parameters/parameters.hpp"

#include <map>
#include <optional>
#include <set>
#include <vector>

namespace troupe {

/// Keeps workers in step as far as their staleness asks for it: collects the pushes of a round, and
/// holds the answers of those who are too far ahead.
class Pace {
public:
  /// A new incarnation of a worker: what the old one left behind is forgotten. It starts level with
  /// the slowest, so that nobody waits until it has caught up.
  void enter(WorkerId worker, const std::vector<WorkerId>& others);
  void leave(WorkerId worker);

  /// Counts a push towards the worker's clock, and notes the staleness that it keeps from now on.
  void pushed(WorkerId worker, Staleness staleness);

  // -- rounds (staleness 0) ------------------------------------------------------------------

  /// @returns why the push cannot be one of the round, whose rule is that of the first; "" where it
  /// can.
  std::string defect_in_round(const Push& push) const;
  /// Keeps a push for the round. The worker's staleness is 0 from now on.
  void contribute(Push push);
  bool round_open() const { return !round_.empty(); }
  /// Who of `training` has still to push before the round is complete: all that keep staleness 0,
  /// and those who have not pushed yet and may.
  std::vector<WorkerId> missing(const std::vector<WorkerId>& training) const;
  /// The round's pushes by worker; the next one begins.
  std::vector<Push> take_round();

  // -- bounds (staleness s) ------------------------------------------------------------------

  /// Whether the worker is at most its staleness ahead of the slowest of `training`.
  bool may_go(WorkerId worker, const std::vector<WorkerId>& training) const;
  void hold(WorkerId worker) { held_.insert(worker); }
  bool holds(WorkerId worker) const { return held_.contains(worker); }
  /// Whom of `training` those who are held wait for.
  std::vector<WorkerId> too_slow(const std::vector<WorkerId>& training) const;
  /// Those who waited and may go now; they are held no longer.
  std::vector<WorkerId> release(const std::vector<WorkerId>& training);

private:
  struct Runner {
    std::uint64_t clock = 0; ///< pushes
    std::optional<Staleness> staleness;
  };

  /// Whether a worker is more than its staleness ahead of another.
  bool too_far_ahead(WorkerId worker, WorkerId other) const;

  std::map<WorkerId, Runner> runners_;
  std::map<WorkerId, Push> round_;
  std::set<WorkerId> held_;
};

} // namespace troupe
