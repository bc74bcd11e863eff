// The longest chain of costs that follow on each other, over all workers.
#pragma once

#include "apps/why/costs.hpp"

namespace troupe {

/// Costs of one worker that lie on the path; of one kind and extension they are one.
struct PathCost {
  WorkerId worker = 0;
  Cost cost;
};

struct CriticalPath {
  WorkerId worker = 0; ///< through whose training it leads, where that does not wait for others
  double seconds = 0;
  std::vector<PathCost> costs; ///< the longest first
};

/// The worker that waits least for others decides when the run goes on. Where it does wait, the
/// path leads through the worker that it waits for: through that one's own costs, as they are
/// divided in the mean. @pre the run has a worker
CriticalPath critical_path(const MeasuredRun& run);

} // namespace troupe
