// What bounds a run, and how long it would last without that.
#pragma once

#include "apps/why/critical_path.hpp"

namespace troupe {

enum class CauseKind : std::uint8_t {
  reading,
  gradient,
  update,
  between,
  gate,
  checkpoint,
  evaluation,
  joining,
  holder,
  limit,
  network,
  waiting, ///< for a worker whose log is not there
  held,
  slow_worker,
  tiny_batches,
  few_cores,      ///< for what the process computes
  other_programs, ///< take the cores
};

std::string to_string(CauseKind kind); ///< "slow worker"

/// The seconds that are left of a worker's cost.
using ChangedCost = std::function<double(const MeasuredWorker& worker, const Cost& cost)>;

struct Cause {
  CauseKind kind = CauseKind::between;
  std::string gate = {};               ///< the extension's name; "": none
  std::optional<WorkerId> worker = {}; ///< that alone has it; nothing: all have
  double seconds = 0;                  ///< on the critical path
  double without = 0;                  ///< seconds of the run if it were removed
  ChangedCost left = {};               ///< what is left of each cost then
};

/// How long the run would last with changed costs. Workers that wait for each other go on when the
/// slowest does; the others end for themselves, and the run with the last one.
/// @param left waits follow from the other costs
double replayed_seconds(const MeasuredRun& run, const ChangedCost& left);

/// The causes, the one whose removal gains most first. @pre the run has a worker
std::vector<Cause> causes_of(const MeasuredRun& run, const CriticalPath& path);

} // namespace troupe
