// Trains the runs of a grid, one after the other.
#pragma once

#include "actors/checkpoint/run_writer.hpp"
#include "apps/grid/plan.hpp"
#include "apps/grid/running_children.hpp"
#include "apps/process/interrupts.hpp"
#include "apps/process/system_config.hpp"
#include "apps/testing/problem_cache.hpp"
#include "messages/grid/grid_nodes.hpp"

#include <caf/actor_system.hpp>

namespace troupe {

/// The actor system of one runner's runs, one run after the other. Each runner has its own: with
/// one thread for a run's actors, no message wakes another thread.
class CastSystem {
public:
  explicit CastSystem(std::size_t threads) : config_(threads), system_(config_) {}

  caf::actor_system& system() { return system_; }
  const RunWriter& writer() const { return writer_; }

private:
  SystemConfig config_;
  caf::actor_system system_;
  RunWriter writer_ = spawn_run_writer(system_);
};

/// What all runners of a process share. It must outlive them.
struct GridStage {
  caf::actor_system& system; ///< system of the grid's own actors
  Interrupts& interrupts;
  ProblemCache& problems;
  RunningChildren children;
};

/// The description of a trial for a node, with the run's folder on the grid's machine. @throws
/// ConfigError
LeasedTrial leased_trial(const GridPlan& plan, const RunTrial& trial);

/// Spawns a runner with its own thread, in which a run's session waits for its actors. A run with a
/// saved state resumes from it; a retry starts again, and the folder of the failed attempt is
/// renamed to "<folder>.failed-1". It ends when no handle to it is left.
/// @param plan, casts must outlive it
/// @param processor for runs in their own processes; -1: any
TrialRunner spawn_trial_runner(GridStage& stage, const GridPlan& plan, CastSystem& casts,
                               int processor);

/// The same for the trials of a grid in another process. It answers Error::invalid_options for a
/// trial with plugins that this process may not load.
LeasedRunner spawn_leased_runner(GridStage& stage, CastSystem& casts, int processor);

} // namespace troupe
