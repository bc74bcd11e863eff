// troupe simulate: simulates a cluster in this process, in virtual time.
#pragma once

#include "apps/commands/train.hpp"

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace troupe {

struct SimulateCommand {
  TrainCommand train;
  int workers = 2;
  int holders = 1;          ///< parameter holders, each with a shard of the block
  std::vector<double> step; ///< seconds that a batch takes: one for all workers, or one for each
  double latency = 0.5;     ///< milliseconds of latency for each message
  double jitter = 0;        ///< largest additional latency in milliseconds
  double bandwidth = 1000;  ///< megabits per second of each node; inf: no limit
  double loss = 0;          ///< share of messages that are lost and sent again
  std::vector<std::string> cuts;  ///< WORKER:FROM:UNTIL, or psHOLDER:FROM:UNTIL, in seconds
  std::vector<std::string> kills; ///< WORKER:AT
  std::optional<std::uint64_t> network_seed; ///< nothing: the run's seed
  int files = 8;                             ///< so many workers leave files
  std::string trace;                         ///< file for a line for each message; "": none
};

/// @returns the exit code of the program. @throws Failure if the simulation cannot start.
int simulate(const SimulateCommand& command);

} // namespace troupe
