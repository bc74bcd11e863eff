// workers MODEL BATCH RATE [RUNS] [STEPS]: examples per second of two workers in one process
// against one, syncing with a parameter holder under a rate limit; and the share of time that
// syncing took after the first ten syncs.
#include "bench/benchmarks.hpp"
#include "bench/models.hpp"
#include "bench/program.hpp"
#include "bench/report.hpp"
#include "bench/session.hpp"

#include <fstream>
#include <string>

namespace troupe::bench::workers_benchmark {

namespace {

struct Measured {
  double examples_per_second = 0;
  double share = 0; ///< the larger of the workers'
};

Measured measure(const std::shared_ptr<const UniformProblem>& problem, const std::string& model,
                 Index batch, const std::string& rate, int workers, int steps) {
  std::vector<std::string> overrides{"model.hidden=" + hidden_text(model),
                                     "training.batch_size=" + std::to_string(batch),
                                     "training.drop_last=true",
                                     "training.epochs=0",
                                     "training.seed=1",
                                     "optimizer.name=momentum",
                                     "training.workers=" + std::to_string(workers),
                                     "extensions.finish_after.after_n_batches="
                                       + std::to_string(steps)};
  if (workers > 1)
    overrides.push_back("extensions.shared_params_rate_limited.limit.maximum_rate=" + rate);
  const auto result = train_session(problem, overrides);
  if (result.outcome != Outcome::finished)
    throw std::runtime_error(result.reason);
  Measured measured;
  double seconds = 0;
  for (const auto& worker : result.finished) {
    measured.examples_per_second += static_cast<double>(worker.position.examples);
    seconds = std::max(seconds, worker.position.seconds);
    measured.share = std::max(measured.share, worker.totals.gate_seconds / worker.position.seconds);
  }
  measured.examples_per_second /= seconds;
  return measured;
}

void measure_all(const Arguments& arguments) {
  const auto runs = arguments.size() > 3 ? std::stoi(arguments[3]) : 5;
  const auto steps = arguments.size() > 4 ? std::stoi(arguments[4]) : 40;
  auto problem = std::make_shared<UniformProblem>();
  std::vector<double> one, two, ratios, shares;
  for (int i = 0; i < runs; ++i) {
    const auto single
      = measure(problem, arguments[0], std::stol(arguments[1]), arguments[2], 1, steps);
    const auto pair
      = measure(problem, arguments[0], std::stol(arguments[1]), arguments[2], 2, steps);
    one.push_back(single.examples_per_second);
    two.push_back(pair.examples_per_second);
    ratios.push_back(pair.examples_per_second / single.examples_per_second);
    shares.push_back(pair.share);
  }
  report("1 worker", "examples/s", one);
  report("2 workers", "examples/s", two);
  report("2 workers / 1 worker", "ratio", ratios);
  report("share of time that training waited for gates, syncing among them", "ratio", shares);
}

} // namespace

int run(int argc, char** argv) {
  return run_benchmark(argc, argv, "M1|M3|M5 BATCH RATE [RUNS] [STEPS]", 3, measure_all);
}

} // namespace troupe::bench::workers_benchmark
