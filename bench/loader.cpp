// loader [RUNS]: `troupe train` with a loader (training.loader.ahead=2) and without, alternating:
// digits drawn on the fly, digits that are kept, and the uniform data of the other benchmarks.
// Prints microseconds per batch of 64 for both and the ratio without / with (2 means one more
// core's worth).
#include "bench/benchmarks.hpp"
#include "bench/program.hpp"
#include "bench/report.hpp"
#include "bench/session.hpp"
#include "bench/uniform_problem.hpp"
#include "model/data/images/digits.hpp"

namespace troupe::bench::loader_benchmark {

namespace {

double microseconds(const std::shared_ptr<const Problem>& problem, const std::string& hidden,
                    Step batches, Step ahead) {
  const auto result = train_session(
    problem, {"model.hidden=" + hidden, "training.epochs=0", "training.seed=1",
              "training.drop_last=true", "training.loader.ahead=" + std::to_string(ahead),
              "extensions.finish_after.after_n_batches=" + std::to_string(batches)});
  if (result.outcome != Outcome::finished)
    throw std::runtime_error(result.reason);
  return result.finished.front().position.seconds / static_cast<double>(batches) * 1e6;
}

void compare(const std::string& name, const std::shared_ptr<const Problem>& problem,
             const std::string& hidden, Step batches, int runs) {
  std::vector<double> without_runs, with_runs, ratios;
  for (int i = 0; i < runs; ++i) {
    const auto before = microseconds(problem, hidden, batches, 0);
    with_runs.push_back(microseconds(problem, hidden, batches, 2));
    without_runs.push_back((before + microseconds(problem, hidden, batches, 0)) / 2);
    ratios.push_back(without_runs.back() / with_runs.back());
  }
  report("without a loader " + name, "us/batch", without_runs);
  report("with a loader " + name, "us/batch", with_runs);
  report("throughput with / without " + name, "ratio", ratios);
}

void measure_all(const Arguments& arguments) {
  const auto runs = !arguments.empty() ? std::stoi(arguments[0]) : 5;
  DigitsOptions endless;
  endless.endless = true;
  compare("digits endless", std::make_shared<Digits>(endless), "[256]", 300, runs);
  compare("digits endless M1", std::make_shared<Digits>(endless), "[512,512]", 200, runs);
  compare("digits kept", std::make_shared<Digits>(DigitsOptions{}), "[256]", 600, runs);
  const auto uniform = std::make_shared<UniformProblem>(60000, 0);
  compare("M3", uniform, "[]", 3000, runs);
  compare("M1", uniform, "[512,512]", 200, runs);
}

} // namespace

int run(int argc, char** argv) { return run_benchmark(argc, argv, "[RUNS]", 0, measure_all); }

} // namespace troupe::bench::loader_benchmark
