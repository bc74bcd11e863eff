// troupe launch: a cluster of processes on this machine.
#pragma once

#include "apps/cluster/launch_plan.hpp"

namespace troupe {

/// Starts parameter holders and workers, prints their lines with their names, and ends when the
/// workers have ended. Restarts crashed processes within the limits of a RestartBudget. Any other
/// failure, or a crash beyond the limits, ends all processes; no process is left behind. Training
/// continues if the evaluator fails.
/// @returns the exit code of the program: that of the first process that failed, 70 for a crash.
/// @throws Failure if the cluster cannot start.
int launch(const LaunchCommand& command);

} // namespace troupe
