// troupe launch: a cluster of processes on this machine.
#pragma once

#include "apps/commands/train.hpp"

namespace troupe {

struct LaunchCommand {
  TrainCommand train;
  int workers = 0; ///< 0: 2, or those of the run in `folder`
  int at_most = 0; ///< workers that run at the same time; 0: all
  int shards = 0;  ///< parameter holders, each with a shard of the block; 0: 1, or as in `folder`
  std::string folder;     ///< where to train; continues a launched run there. "": a new folder
  std::string job_name;   ///< set in the workers' environment; "": the folder's name
  std::string walltime;   ///< H:MM:SS after which all processes are ended; "": no limit
  std::string devices;    ///< one for each worker, separated by commas; "": none
  bool evaluator = false; ///< one more process evaluates the shared parameters
  int restarts = 3;       ///< of crashed processes within a minute, before the run ends; 0: none
  bool insecure = false;  ///< plain TCP on loopback instead of mutual TLS
  double grace = 10;      ///< seconds between asking a process to end and killing it
};

/// Starts parameter holders and workers, prints their lines with their names, and ends when the
/// workers have ended. Restarts crashed processes within the limits of a RestartBudget. Any other
/// failure, or a crash beyond the limits, ends all processes; no process is left behind. Training
/// continues if the evaluator fails.
/// @returns the exit code of the program: that of the first process that failed, 70 for a crash.
/// @throws Failure if the cluster cannot start.
int launch(const LaunchCommand& command);

} // namespace troupe
