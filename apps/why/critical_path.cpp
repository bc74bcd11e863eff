#include "apps/why/critical_path.hpp"

#include <algorithm>

namespace troupe {

namespace {

void add_to_path(WorkerId worker, const Cost& cost, double seconds, std::vector<PathCost>& path) {
  const auto found = std::find_if(path.begin(), path.end(), [&](const auto& one) {
    return one.worker == worker && one.cost.is_same(cost);
  });
  if (found != path.end()) {
    found->cost.seconds += seconds;
    return;
  }
  path.push_back({worker, cost});
  path.back().cost.seconds = seconds;
}

/// Replaces a wait by the awaited worker's own costs. One that is not known stays a wait.
void add_wait(const MeasuredRun& run, WorkerId waits, const Cost& cost,
              std::vector<PathCost>& path) {
  const auto* other = run.find(*cost.awaited);
  if (other == nullptr || other->own() <= 0) {
    path.push_back({waits, cost});
    return;
  }
  for (const auto& own : other->costs)
    if (own.kind != CostKind::waiting)
      add_to_path(other->worker, own, cost.seconds * own.seconds / other->own(), path);
}

} // namespace

CriticalPath critical_path(const MeasuredRun& run) {
  const auto& last
    = *std::max_element(run.workers.begin(), run.workers.end(),
                        [](const auto& a, const auto& b) { return a.own() < b.own(); });
  CriticalPath path{last.worker, last.seconds, {}};
  for (const auto& cost : last.costs)
    if (cost.kind == CostKind::waiting)
      add_wait(run, last.worker, cost, path.costs);
    else
      add_to_path(last.worker, cost, cost.seconds, path.costs);
  std::stable_sort(path.costs.begin(), path.costs.end(),
                   [](const auto& a, const auto& b) { return a.cost.seconds > b.cost.seconds; });
  return path;
}

} // namespace troupe
