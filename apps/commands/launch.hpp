// troupe launch: a cluster of processes on this machine.
#pragma once

#include "apps/commands/train.hpp"

namespace troupe {

struct LaunchCommand {
  TrainCommand train;
  int workers = 0; ///< 0: 2, or those of the run in `folder`
  int at_most = 0; ///< workers that run at once; 0: all
  int shards = 0;  ///< parameter holders, each with a range of the block; 0: 1, or as in `folder`
  std::string folder;     ///< where to train; goes on with the launched run there. "": a new one
  std::string job_name;   ///< which workers find in their environment; "": the folder's name
  std::string walltime;   ///< H:MM:SS after which all has to be over; "": no such limit
  std::string devices;    ///< one for each worker, separated by commas; "": none
  bool evaluator = false; ///< one more process measures the shared parameters
  int restarts = 3;      ///< of processes that crash, within a minute, before the run ends; 0: none
  bool insecure = false; ///< plain TCP on loopback instead of mutual TLS
  double grace = 10;     ///< seconds between asking a process to end and ending it
};

/// Starts a parameter holder and workers, streams their lines with their names, and ends when the
/// work ends. A process that crashes is started again, within the limits of a RestartBudget; one
/// that fails otherwise, or beyond them, ends the others; none is left behind. Without the
/// evaluator training goes on.
/// @returns the exit code of the program: that of the first process that failed, 70 for one that
/// crashed. @throws Failure for what cannot begin.
int launch(const LaunchCommand& command);

} // namespace troupe
