// Reads what a run's processes have measured from their logs.
#pragma once

#include "apps/why/costs.hpp"

#include <filesystem>

namespace troupe {

struct ReadRun {
  MeasuredRun measured;
  std::filesystem::path configuration; ///< config.yaml of one of its processes
  bool ended = true;                   ///< all of its processes have
  bool ahead = false;                  ///< a loader reads ahead
  std::vector<std::string> remarks;    ///< what was left out
};

/// @param run the folder of a run or of a launched cluster, or a log
/// @throws IoError if it has no log, DataError if no log has times; the sentences say what to do.
ReadRun read_measured_run(const std::filesystem::path& run);

/// What the gates of a configuration do.
GateKinds kinds_of_gates(const std::filesystem::path& configuration);

} // namespace troupe
