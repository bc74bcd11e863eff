// troupe simulate: rehearses a cluster in this process, under virtual time.
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
  int holders = 1;                ///< parameter holders, each with a range of the block
  std::vector<double> step;       ///< seconds of a batch: of all workers, or of each
  double latency = 0.5;           ///< milliseconds that a message is on its way
  double jitter = 0;              ///< milliseconds at most on top
  double bandwidth = 1000;        ///< megabits per second of each node's line; inf: no limit
  double loss = 0;                ///< share of messages that are lost and sent again
  std::vector<std::string> cuts;  ///< WORKER:FROM:UNTIL, or psHOLDER:FROM:UNTIL, in seconds
  std::vector<std::string> kills; ///< WORKER:AT
  std::optional<std::uint64_t> network_seed; ///< nothing: the run's
  std::string trace;                         ///< a file that gets a line for each message; "": none
};

/// @returns the exit code of the program. @throws Failure for what cannot begin.
int simulate(const SimulateCommand& command);

} // namespace troupe
