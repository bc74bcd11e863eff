#include "apps/why/costs.hpp"

#include <algorithm>

namespace troupe {

namespace {

constexpr double least_wait = 0.005; // of the time: less is chance

CostKind kind_of_cost(GateKind gate) {
  switch (gate) {
  case GateKind::checkpoint: return CostKind::checkpoint;
  case GateKind::evaluation: return CostKind::evaluation;
  case GateKind::sharing: return CostKind::joining;
  case GateKind::plain: break;
  }
  return CostKind::gate;
}

Cost cost_of_part(const std::string& part, const std::string& gate, double seconds) {
  if (const auto worker = worker_of_part(part))
    return {CostKind::waiting, gate, seconds, worker};
  if (part == holder_part)
    return {CostKind::holder, gate, seconds};
  if (part == limit_part)
    return {CostKind::limit, gate, seconds};
  if (part == network_part)
    return {CostKind::network, gate, seconds};
  return {CostKind::gate, gate, seconds}; // a part of a gate that is not ours
}

void add_gate(const std::string& name, const GateTime& gate, GateKind kind,
              std::vector<Cost>& costs) {
  auto rest = gate.seconds;
  for (const auto& [part, seconds] : gate.parts) {
    const auto share = std::min(seconds, rest);
    rest -= share;
    costs.push_back(cost_of_part(part, name, share));
  }
  costs.push_back({kind_of_cost(kind), name, rest});
}

} // namespace

double MeasuredWorker::of(CostKind kind) const {
  auto seconds_of_kind = 0.0;
  for (const auto& cost : costs)
    if (cost.kind == kind)
      seconds_of_kind += cost.seconds;
  return seconds_of_kind;
}

bool MeasuredRun::coupled() const {
  return std::any_of(workers.begin(), workers.end(), [](const auto& worker) {
    return worker.of(CostKind::waiting) > least_wait * worker.seconds;
  });
}

const MeasuredWorker* MeasuredRun::find(WorkerId worker) const {
  const auto found = std::find_if(workers.begin(), workers.end(),
                                  [&](const auto& one) { return one.worker == worker; });
  return found == workers.end() ? nullptr : &*found;
}

MeasuredWorker measured_worker(WorkerId worker, const SpentTime& spent, const GateKinds& kinds) {
  MeasuredWorker measured{worker, spent.seconds, spent.batches, {}, spent.use, {}};
  measured.costs = {{CostKind::reading, "", spent.reading},
                    {CostKind::gradient, "", spent.gradient},
                    {CostKind::update, "", spent.update},
                    {CostKind::between, "", spent.between()},
                    {CostKind::held, "", spent.held}};
  for (const auto& [name, gate] : spent.gates)
    add_gate(name, gate, kinds(name), measured.costs);
  std::erase_if(measured.costs, [](const auto& cost) { return cost.seconds <= 0; });
  for (const auto& [name, copies] : spent.lost)
    if (copies > 0)
      measured.losing_observers.push_back(name);
  return measured;
}

void count_queues(MeasuredRun& run) {
  constexpr double busy = 0.7;
  auto worked = 0.0, seconds = 0.0;
  for (const auto& worker : run.workers) {
    worked += worker.of(CostKind::holder);
    seconds = std::max(seconds, worker.seconds);
  }
  if (run.coupled() || run.workers.size() < 2 || worked < busy * seconds)
    return;
  for (auto& worker : run.workers)
    for (auto& cost : worker.costs)
      if (cost.kind == CostKind::network)
        cost.kind = CostKind::holder;
}

void count_waits_for_states(MeasuredRun& run) {
  if (run.workers.size() < 2)
    return;
  const auto last
    = *std::min_element(run.workers.begin(), run.workers.end(), [](const auto& a, const auto& b) {
        return a.of(CostKind::held) < b.of(CostKind::held);
      });
  const auto paused = last.of(CostKind::held);
  for (auto& worker : run.workers) {
    const auto waited = worker.of(CostKind::held) - paused;
    if (waited <= 0)
      continue;
    for (auto& cost : worker.costs)
      if (cost.kind == CostKind::held)
        cost.seconds = paused;
    worker.costs.push_back({CostKind::waiting, "", waited, last.worker});
  }
}

} // namespace troupe
