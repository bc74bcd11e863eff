#pragma once

#include "messages/parameters/parameters.hpp"

#include <map>
#include <optional>
#include <set>
#include <vector>

namespace troupe {

/// Keeps workers in step as far as their staleness requires: collects the pushes of a round, and
/// holds the answers of workers that are too far ahead. What a push asks is answered without looking
/// at the other workers, of which there may be thousands.
class Pace {
public:
  /// A new incarnation of a worker: the state of the old one is dropped. It starts level with the
  /// slowest worker, so that none waits until it has caught up.
  void enter(WorkerId worker);
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
  /// The workers that have to push before the round is complete: those with staleness 0, and those
  /// that have not pushed yet.
  const std::set<WorkerId>& missing() const { return missing_; }
  /// The round's pushes by worker; the next round begins.
  std::vector<Push> take_round();

  // -- bounds (staleness s) ------------------------------------------------------------------

  /// Whether the worker is at most its staleness ahead of the slowest.
  bool may_continue(WorkerId worker) const;
  void hold(WorkerId worker) { held_.insert(worker); }
  bool holds(WorkerId worker) const { return held_.contains(worker); }
  /// The workers that held workers wait for.
  std::vector<WorkerId> too_slow() const;
  /// Workers that waited and may continue now; they are held no longer.
  std::vector<WorkerId> release();

private:
  struct Runner {
    std::uint64_t clock = 0; ///< pushes
    std::optional<Staleness> staleness;
  };

  std::uint64_t slowest() const { return clocks_.empty() ? 0 : *clocks_.begin(); }
  /// Below which clock another worker is too slow for this one.
  static std::uint64_t least_clock(const Runner& runner);
  void advance(Runner& runner);
  /// A worker has another staleness, or a push in the round.
  void changed(WorkerId worker, const Runner& runner);

  std::map<WorkerId, Runner> runners_;
  std::multiset<std::uint64_t> clocks_; ///< of the runners
  std::map<WorkerId, Push> round_;
  std::set<WorkerId> missing_; ///< in the round
  std::set<WorkerId> held_;
  /// The slowest clock for which none of those held may continue; nothing: one of them has changed.
  std::optional<std::uint64_t> none_until_;
};

} // namespace troupe
