// Carries a grid's queue out. Protocol: messages/grid/grid.hpp.
#pragma once

#include "messages/grid/grid_journal.hpp"
#include "messages/grid/grid_queue.hpp"

#include <functional>
#include <memory>
#include <vector>

namespace troupe {

struct GridSupervisorOptions {
  GridQueue queue;                      ///< with what earlier starts have ended
  std::vector<TrialRunner> runners;     ///< so many runs at once; others may offer themselves
  std::shared_ptr<JournalFile> journal; ///< null: nothing is remembered
  /// Hears of each end, with the queue that knows it; called by the actor, hence brief. May be
  /// null.
  std::function<void(const TrialEnded& ended, const GridQueue& queue)> tell;
  bool awaits_runners = false; ///< others may offer themselves: to have none is no reason to end
};

/// Spawns a supervisor with a thread of its own, since journals wait for disks. A runner that does
/// not answer has its run fail and is used no more. It ends when nobody holds a handle to it any
/// more.
GridSupervisor spawn_grid_supervisor(caf::actor_system& system, GridSupervisorOptions options);

/// The same without a thread, for tests in virtual time.
GridSupervisor spawn_scheduled_grid_supervisor(caf::actor_system& system,
                                               GridSupervisorOptions options);

} // namespace troupe
