#include "apps/why/causes.hpp"

#include <algorithm>
#include <map>

namespace troupe {

namespace {

/// Causes that would gain less are left out.
constexpr double least_gain = 0.001;

bool is_computation(CostKind kind) {
  return kind == CostKind::gradient || kind == CostKind::update || kind == CostKind::between;
}

CauseKind cause_of_cost(CostKind kind) {
  switch (kind) {
  case CostKind::reading: return CauseKind::reading;
  case CostKind::gradient: return CauseKind::gradient;
  case CostKind::update: return CauseKind::update;
  case CostKind::between: return CauseKind::between;
  case CostKind::gate: return CauseKind::gate;
  case CostKind::checkpoint: return CauseKind::checkpoint;
  case CostKind::evaluation: return CauseKind::evaluation;
  case CostKind::joining: return CauseKind::joining;
  case CostKind::holder: return CauseKind::holder;
  case CostKind::limit: return CauseKind::limit;
  case CostKind::network: return CauseKind::network;
  case CostKind::waiting: return CauseKind::waiting;
  case CostKind::held: break;
  }
  return CauseKind::held;
}

double seconds_of(const MeasuredWorker& worker, const Cost& like) {
  auto seconds = 0.0;
  for (const auto& cost : worker.costs)
    if (cost.is_same(like))
      seconds += cost.seconds;
  return seconds;
}

/// What it costs the others, in the middle; nothing if there are none.
std::optional<double> usual_seconds(const MeasuredRun& run, WorkerId without, const Cost& like) {
  std::vector<double> others;
  for (const auto& worker : run.workers)
    if (worker.worker != without)
      others.push_back(seconds_of(worker, like));
  if (others.empty())
    return {};
  std::sort(others.begin(), others.end());
  return others[(others.size() - 1) / 2];
}

/// Whether it is this worker's alone.
bool is_alone(const MeasuredRun& run, WorkerId worker, const Cost& cost) {
  const auto usual = usual_seconds(run, worker, cost);
  return usual && *usual < 0.5 * seconds_of(*run.find(worker), cost);
}

/// Costs of one kind and extension, summed over the workers on the path.
std::vector<PathCost> summed(const CriticalPath& path) {
  std::vector<PathCost> sums;
  for (const auto& part : path.costs) {
    const auto found = std::find_if(sums.begin(), sums.end(),
                                    [&](const auto& one) { return one.cost.is_same(part.cost); });
    if (found == sums.end())
      sums.push_back(part);
    else
      found->cost.seconds += part.cost.seconds;
  }
  return sums;
}

Cause cause_of(const MeasuredRun& run, const PathCost& part) {
  Cause cause{cause_of_cost(part.cost.kind), part.cost.gate, {}, part.cost.seconds};
  if (is_alone(run, part.worker, part.cost))
    cause.worker = part.worker;
  cause.left = [removed = part.cost](const MeasuredWorker&, const Cost& cost) {
    return cost.is_same(removed) ? 0 : cost.seconds;
  };
  return cause;
}

/// One worker takes longer than the others for what all do.
std::optional<Cause> slow_worker(const MeasuredRun& run, const CriticalPath& path) {
  const auto& worker = *run.find(path.worker);
  std::map<CostKind, double> surplus;
  Cause cause{CauseKind::slow_worker, "", worker.worker};
  for (const auto& cost : worker.costs) {
    const auto usual = usual_seconds(run, worker.worker, cost);
    if (usual && (is_computation(cost.kind) || cost.kind == CostKind::reading))
      surplus[cost.kind] = std::max(0.0, cost.seconds - *usual);
    cause.seconds += surplus[cost.kind];
  }
  cause.left = [surplus, slow = worker.worker](const MeasuredWorker& one, const Cost& cost) {
    return cost.seconds - (one.worker == slow ? surplus.at(cost.kind) : 0);
  };
  constexpr double least = 0.05;
  if (cause.seconds < least * worker.own())
    return {};
  return cause;
}

/// The computation waits for cores: as large a share of its time as of that of all threads.
std::optional<Cause> cores_taken(const MeasuredRun& run, const CriticalPath& path) {
  const auto& worker = *run.find(path.worker);
  const auto& use = worker.use;
  if (use.waited <= 0 || worker.seconds <= 0)
    return {};
  const auto share = [](const MeasuredWorker& one) {
    const auto ran = one.use.worked + one.use.waited;
    return ran > 0 ? std::min(one.use.waited / ran, one.use.waited / one.seconds) : 0.0;
  };
  const auto computes
    = [](const Cost& cost) { return is_computation(cost.kind) || cost.kind == CostKind::reading; };
  // More of the process's own threads could run at a time than there are cores, and these did not
  // work for others most of the time.
  const auto all_cores = use.cores * worker.seconds;
  const auto own = use.worked + use.waited > 1.1 * all_cores && use.worked > 0.4 * all_cores;
  Cause cause{own ? CauseKind::few_cores : CauseKind::other_programs};
  for (const auto& cost : worker.costs)
    if (computes(cost))
      cause.seconds += cost.seconds * share(worker);
  cause.left = [share, computes](const MeasuredWorker& one, const Cost& cost) {
    return computes(cost) ? cost.seconds * (1 - share(one)) : cost.seconds;
  };
  if (own && !worker.losing_observers.empty())
    cause.gate = worker.losing_observers.front();
  return cause;
}

/// What each batch costs, however many examples it has.
std::optional<Cause> tiny_batches(const MeasuredRun& run, const CriticalPath& path) {
  if (!run.larger || run.batch_size == 0)
    return {};
  const auto fewer = static_cast<double>(run.batch_size) / static_cast<double>(run.larger->size);
  Cause cause{CauseKind::tiny_batches};
  cause.left = [fewer, ratio = run.larger->ratio](const MeasuredWorker&, const Cost& cost) {
    if (cost.kind == CostKind::between)
      return cost.seconds * fewer;
    return is_computation(cost.kind) ? cost.seconds * ratio : cost.seconds;
  };
  for (const auto& [worker, cost] : path.costs)
    cause.seconds += cost.seconds - cause.left({}, cost);
  return cause;
}

bool is_computation_cause(CauseKind kind) {
  return kind == CauseKind::gradient || kind == CauseKind::update || kind == CauseKind::between;
}

/// Drops causes that another one explains better.
void drop_explained(std::vector<Cause>& causes, const CriticalPath& path) {
  const auto gain = [&](CauseKind kind) {
    auto most = 0.0;
    for (const auto& cause : causes)
      if (cause.kind == kind)
        most = std::max(most, path.seconds - cause.without);
    return most;
  };
  const auto drop = [&](auto which) { std::erase_if(causes, which); };
  const auto computes = [](const Cause& cause) { return is_computation_cause(cause.kind); };
  auto computation = 0.0;
  for (const auto& cause : causes)
    if (computes(cause))
      computation += cause.seconds;
  constexpr double most = 0.4;
  const auto slow = gain(CauseKind::slow_worker);
  const auto one_reads_slowly = std::any_of(causes.begin(), causes.end(), [&](const auto& cause) {
    return cause.kind == CauseKind::reading && cause.worker
           && path.seconds - cause.without >= 0.8 * slow;
  });
  if (slow > 0 && one_reads_slowly)
    drop([](const Cause& cause) { return cause.kind == CauseKind::slow_worker; });
  if (gain(CauseKind::tiny_batches) >= most * computation
      || std::max(gain(CauseKind::few_cores), gain(CauseKind::other_programs))
           >= most * computation)
    drop(computes);
  drop([&](const Cause& cause) { // what a slow worker is slow in
    return computes(cause) && cause.worker && gain(CauseKind::slow_worker) > 0;
  });
  drop(
    [&](const Cause& cause) { return path.seconds - cause.without < least_gain * path.seconds; });
}

/// Other programs make all computation longer, and come and go. A cause in the run itself that
/// gains about as much is what people can remove.
void put_own_first(std::vector<Cause>& causes, const CriticalPath& path) {
  if (causes.empty() || causes.front().kind != CauseKind::other_programs)
    return;
  constexpr double enough = 0.4;
  const auto least = enough * (path.seconds - causes.front().without);
  const auto own = std::find_if(causes.begin() + 1, causes.end(), [&](const auto& cause) {
    return !is_computation_cause(cause.kind) && path.seconds - cause.without >= least;
  });
  if (own != causes.end())
    std::rotate(causes.begin(), own, own + 1);
}

} // namespace

std::string to_string(CauseKind kind) {
  switch (kind) {
  case CauseKind::reading: return "reading";
  case CauseKind::gradient: return "gradient";
  case CauseKind::update: return "update";
  case CauseKind::between: return "between batches";
  case CauseKind::gate: return "gate";
  case CauseKind::checkpoint: return "checkpoint";
  case CauseKind::evaluation: return "evaluation";
  case CauseKind::joining: return "joining";
  case CauseKind::holder: return "holder";
  case CauseKind::limit: return "rate limit";
  case CauseKind::network: return "network";
  case CauseKind::waiting: return "waiting";
  case CauseKind::held: return "held";
  case CauseKind::slow_worker: return "slow worker";
  case CauseKind::tiny_batches: return "tiny batches";
  case CauseKind::few_cores: return "few cores";
  case CauseKind::other_programs: break;
  }
  return "other programs";
}

double replayed_seconds(const MeasuredRun& run, const ChangedCost& left) {
  auto longest = 0.0, own_before = 0.0, seconds_before = 0.0;
  const auto coupled = run.coupled();
  const auto follows = [&](const Cost& cost) { // from what the awaited worker does
    return coupled && cost.kind == CostKind::waiting && run.find(*cost.awaited) != nullptr;
  };
  for (const auto& worker : run.workers) {
    auto seconds = 0.0, own = 0.0;
    for (const auto& cost : worker.costs)
      if (!follows(cost)) {
        seconds += left(worker, cost);
        own += cost.seconds;
      }
    longest = std::max(longest, seconds);
    if (own > own_before) {
      own_before = own;
      seconds_before = worker.seconds;
    }
  }
  // By chance, now this worker is the last one and now that: as much as before.
  return coupled && own_before > 0 ? longest * seconds_before / own_before : longest;
}

std::vector<Cause> causes_of(const MeasuredRun& run, const CriticalPath& path) {
  std::vector<Cause> causes;
  for (const auto& part : summed(path))
    causes.push_back(cause_of(run, part));
  for (const auto& other :
       {slow_worker(run, path), cores_taken(run, path), tiny_batches(run, path)})
    if (other)
      causes.push_back(*other);
  for (auto& cause : causes)
    cause.without = replayed_seconds(run, cause.left);
  drop_explained(causes, path);
  std::stable_sort(causes.begin(), causes.end(),
                   [](const auto& a, const auto& b) { return a.without < b.without; });
  put_own_first(causes, path);
  return causes;
}

} // namespace troupe
