// Runs a grid's queue. Protocol: messages/grid/grid.hpp.
#pragma once

#include "messages/grid/grid_journal.hpp"
#include "messages/grid/grid_queue.hpp"

#include <functional>
#include <memory>
#include <vector>

namespace troupe {

struct GridSupervisorOptions {
  GridQueue queue;                      ///< including the results of earlier starts
  std::vector<TrialRunner> runners;     ///< one for each concurrent run; others may offer
                                        ///< themselves
  std::shared_ptr<JournalFile> journal; ///< null: no journal is kept
  /// Called with each result and the updated queue; called by the actor, so it must be fast. May be
  /// null.
  std::function<void(const TrialEnded& ended, const GridQueue& queue)> notify;
  bool awaits_runners = false; ///< others may offer themselves: it does not end when there are none
};

/// Spawns a supervisor with a thread of its own, since journals wait for disks. If a runner does
/// not answer, its run fails and the runner is used no more. It ends with its last handle.
GridSupervisor spawn_grid_supervisor(caf::actor_system& system, GridSupervisorOptions options);

/// Starts the grid, and waits for its end, from a thread of no actor.
GridEnded run_to_end(caf::actor_system& system, const GridSupervisor& supervisor);

/// The same without a thread, for tests in virtual time.
GridSupervisor spawn_scheduled_grid_supervisor(caf::actor_system& system,
                                               GridSupervisorOptions options);

} // namespace troupe
