// Runs as `troupe why` has measured them, for its tests.
#pragma once

#include "apps/why/causes.hpp"

namespace troupe::test {

/// A worker with these costs, which waits for the others what is left of `seconds`.
inline MeasuredWorker worker_with(WorkerId worker, double seconds, std::vector<Cost> costs,
                                  std::optional<WorkerId> awaited = {}) {
  MeasuredWorker measured{worker, seconds, 100, std::move(costs), {0, 0, 2}, {}};
  auto rest = seconds;
  for (const auto& cost : measured.costs)
    rest -= cost.seconds;
  if (awaited)
    measured.costs.push_back({CostKind::waiting, "sync", rest, awaited});
  return measured;
}

inline Cost cost(CostKind kind, double seconds, const std::string& gate = "") {
  return {kind, gate, seconds, {}};
}

inline std::vector<Cause> causes_in(const MeasuredRun& run) {
  return causes_of(run, critical_path(run));
}

} // namespace troupe::test
