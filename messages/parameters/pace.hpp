#pragma once

#include "messages/parameters/parameters.hpp"

#include <map>
#include <optional>
#include <set>
#include <vector>

namespace troupe {

/// Keeps workers in step as far as their staleness requires: collects the pushes of a round, and
/// holds the answers of workers that are too far ahead.
class Pace {
public:
  /// A new incarnation of a worker: the state of the old one is dropped. It starts level with the
  /// slowest worker, so that none waits until it has caught up.
  void enter(WorkerId worker, const std::vector<WorkerId>& others);
  void leave(WorkerId worker);

  /// Counts a push towards the worker's clock, and records its staleness from now on.
  void pushed(WorkerId worker, Staleness staleness);

  // -- rounds (staleness 0) ------------------------------------------------------------------

  /// @returns why the push cannot join the round, whose rule is that of the first push; "" if it
  /// can.
  std::string defect_in_round(const Push& push) const;
  /// Adds a push to the round. The worker's staleness is 0 from now on.
  void contribute(Push push);
  bool round_open() const { return !round_.empty(); }
  /// The workers of `training` that have to push before the round is complete: those with staleness
  /// 0, and those that have not pushed yet.
  std::vector<WorkerId> missing(const std::vector<WorkerId>& training) const;
  /// The round's pushes by worker; the next round begins.
  std::vector<Push> take_round();

  // -- bounds (staleness s) ------------------------------------------------------------------

  /// Whether the worker is at most its staleness ahead of the slowest of `training`.
  bool may_continue(WorkerId worker, const std::vector<WorkerId>& training) const;
  void hold(WorkerId worker) { held_.insert(worker); }
  bool holds(WorkerId worker) const { return held_.contains(worker); }
  /// The workers of `training` that held workers wait for.
  std::vector<WorkerId> too_slow(const std::vector<WorkerId>& training) const;
  /// Workers that waited and may continue now; they are held no longer.
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
