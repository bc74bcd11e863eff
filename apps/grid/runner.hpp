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

/// Where the casts of one runner's runs play, one run after the other. Each runner has its own:
/// with one thread for a run's actors, none of their messages wakes another thread.
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

/// What all runners of a process share. It outlives them.
struct GridStage {
  caf::actor_system& system; ///< of the grid's own actors
  Interrupts& interrupts;
  ProblemCache& problems;
  RunningChildren children;
};

/// What a node has to know of a trial; it is in its folder at home. @throws ConfigError
LeasedTrial leased_trial(const GridPlan& plan, const RunTrial& trial);

/// Spawns a runner with a thread of its own, in which a run's session waits for its cast. A run
/// that has saved a state goes on from it; a retry begins anew, and the folder of the attempt
/// before becomes "<folder>.failed-1". It ends when nobody holds a handle to it any more.
/// @param plan, casts have to outlive it
/// @param processor for runs that are processes of their own; -1: any
TrialRunner spawn_trial_runner(GridStage& stage, const GridPlan& plan, CastSystem& casts,
                               int processor);

/// The same for the trials of a grid in another process.
LeasedRunner spawn_leased_runner(GridStage& stage, CastSystem& casts, int processor);

} // namespace troupe
