// throughput MODEL BATCH sgd|adam [RUNS]: the trainer with its default extensions and a raw loop
// over the same kernels, alternating. Prints microseconds per step for both and the ratio raw /
// trainer (1 means no overhead).
//
// throughput trainer MODEL BATCH sgd|adam [CONFIGURATION...]: the trainer alone, for bench/compare;
// with configuration arguments, such as training.products=tiles.
// throughput memory MODEL BATCH sgd|adam [CONFIGURATION...]: the peak memory of a process that
// trains once, without the data, in MB.
// throughput check MODEL BATCH sgd|adam: the first 20 losses on sequential batches, to compare with
// other programs.
#include "apps/catalog/components.hpp"
#include "apps/run_config/read_run_config.hpp"
#include "bench/benchmarks.hpp"
#include "bench/models.hpp"
#include "bench/program.hpp"
#include "bench/report.hpp"
#include "bench/session.hpp"
#include "model/tensor/compute_scope.hpp"

#include <algorithm>
#include <fstream>
#include <numeric>
#include <random>

namespace troupe::bench::throughput_benchmark {

namespace {

std::unique_ptr<Model> configured_model(const Problem& problem, const std::string& model) {
  ConfigSources sources;
  sources.overrides = model_arguments(model);
  return make_model(*read_run_config(sources).tree.find("model"), problem.spec());
}

/// A training loop without a framework: permute, gather, gradient, step.
class RawLoop {
public:
  RawLoop(const UniformProblem& problem, const std::string& model, Index batch,
          const std::string& optimizer)
    : problem_(problem),
      model_(configured_model(problem, model)),
      batch_size_(batch),
      parameters_(model_->layout().size()),
      gradient_(static_cast<std::size_t>(model_->layout().size())),
      optimizer_(bench_optimizer(optimizer, model_->layout().size())),
      order_(static_cast<std::size_t>(problem.size(Section::train))),
      place_(order_.size()) {
    if (model == "M2" || model == "M4") // the reference programs keep those of their library
      model_->initialize(parameters_.edit(), {1});
    else
      reference_weights(model_->layout(), parameters_.edit());
    std::iota(order_.begin(), order_.end(), Index{0});
  }

  double step(std::span<const Index> rows) {
    problem_.gather(Section::train, rows, batch_);
    const auto loss = model_->loss_and_gradient(parameters_.view(), batch_, gradient_);
    optimizer_->step(parameters_.edit(), gradient_);
    return loss;
  }

  double seconds(Step steps) {
    ComputeScope scope;
    const auto began = now();
    const auto size = static_cast<std::size_t>(batch_size_);
    for (Step i = 0; i < steps; ++i) {
      if (place_ + size > order_.size()) {
        std::shuffle(order_.begin(), order_.end(), random_);
        place_ = 0;
      }
      step(std::span{order_}.subspan(place_, size));
      place_ += size;
    }
    return now() - began;
  }

private:
  const UniformProblem& problem_;
  std::unique_ptr<Model> model_;
  Index batch_size_;
  Block parameters_;
  Buffer<float> gradient_;
  std::unique_ptr<Optimizer> optimizer_;
  Batch batch_;
  std::vector<Index> order_;
  std::size_t place_;
  std::mt19937 random_{7};
};

double trainer_seconds(const std::shared_ptr<const UniformProblem>& problem,
                       const std::string& model, Index batch, const std::string& optimizer,
                       Step steps, const std::vector<std::string>& others = {}) {
  std::vector<std::string> overrides{
    "training.batch_size=" + std::to_string(batch),
    "training.drop_last=true",
    "training.epochs=0",
    "training.seed=1",
    "extensions.finish_after.after_n_batches=" + std::to_string(steps),
    optimizer == "adam" ? "optimizer.name=adam" : "optimizer.name=momentum"};
  const auto arguments = model_arguments(model);
  overrides.insert(overrides.end(), arguments.begin(), arguments.end());
  overrides.insert(overrides.end(), others.begin(), others.end());
  const auto result = train_session(problem, overrides);
  if (result.outcome != Outcome::finished)
    throw std::runtime_error(result.reason);
  return result.finished.front().position.seconds;
}

void compare(const std::string& model, Index batch, const std::string& optimizer, int runs) {
  const auto problem = problem_of(model);
  RawLoop raw{*problem, model, batch, optimizer};
  raw.seconds(5);
  Step steps = 5;
  while (raw.seconds(steps) < 0.15)
    steps *= 2;
  steps
    = std::max<Step>(20, static_cast<Step>(static_cast<double>(steps) * 1.0 / raw.seconds(steps)));
  std::vector<double> raw_runs, trainer_runs, ratios;
  for (int i = 0; i < runs; ++i) {
    const auto scale = 1e6 / static_cast<double>(steps);
    const auto before = raw.seconds(steps) * scale;
    const auto ours = trainer_seconds(problem, model, batch, optimizer, steps) * scale;
    const auto after = raw.seconds(steps) * scale;
    raw_runs.push_back((before + after) / 2);
    trainer_runs.push_back(ours);
    ratios.push_back(raw_runs.back() / ours);
  }
  const auto name = model + " B" + std::to_string(batch) + " " + optimizer;
  report("raw loop " + name, "us/step", raw_runs);
  report("trainer " + name, "us/step", trainer_runs);
  report("trainer's throughput / raw loop's " + name, "ratio", ratios);
}

void trainer_alone(const std::string& model, Index batch, const std::string& optimizer,
                   const std::vector<std::string>& others) {
  const auto problem = problem_of(model);
  Step steps = 20;
  auto seconds = trainer_seconds(problem, model, batch, optimizer, steps, others);
  while (seconds < 0.15) {
    steps *= 2;
    seconds = trainer_seconds(problem, model, batch, optimizer, steps, others);
  }
  steps = static_cast<Step>(static_cast<double>(steps) * 0.6 / seconds) + 1;
  std::vector<double> runs;
  for (int i = 0; i < 3; ++i)
    runs.push_back(trainer_seconds(problem, model, batch, optimizer, steps, others)
                   / static_cast<double>(steps) * 1e6);
  report("trainer " + model + " B" + std::to_string(batch) + " " + optimizer, "us/step", runs);
}

/// Peak memory of the process, in bytes.
double peak_memory() {
  std::ifstream status{"/proc/self/status"};
  for (std::string line; std::getline(status, line);)
    if (line.starts_with("VmHWM:"))
      return std::stod(line.substr(line.find(':') + 1)) * 1024;
  throw std::runtime_error("/proc/self/status does not tell the peak of this process's memory");
}

void memory(const std::string& model, Index batch, const std::string& optimizer,
            const std::vector<std::string>& others) {
  const auto problem = problem_of(model);
  trainer_seconds(problem, model, batch, optimizer, 20, others);
  const auto beyond = peak_memory() - static_cast<double>(problem->bytes());
  report("memory " + model + " B" + std::to_string(batch) + " " + optimizer, "MB", {beyond / 1e6});
}

void check(const std::string& model, Index batch, const std::string& optimizer) {
  UniformProblem problem{2000};
  RawLoop raw{problem, model, batch, optimizer};
  std::vector<Index> rows(static_cast<std::size_t>(batch));
  ComputeScope scope;
  for (Index i = 0; i < 20; ++i) {
    std::iota(rows.begin(), rows.end(), i * batch);
    std::printf("%.6f ", raw.step(rows));
  }
  std::puts("");
}

void measure_all(const Arguments& arguments) {
  if (arguments.size() == 4 && arguments[0] == "check") {
    check(arguments[1], std::stol(arguments[2]), arguments[3]);
    return;
  }
  if (arguments.size() >= 4 && (arguments[0] == "trainer" || arguments[0] == "memory")) {
    const auto measure = arguments[0] == "trainer" ? trainer_alone : memory;
    measure(arguments[1], std::stol(arguments[2]), arguments[3],
            {arguments.begin() + 4, arguments.end()});
    return;
  }
  compare(arguments[0], std::stol(arguments[1]), arguments[2],
          arguments.size() > 3 ? std::stoi(arguments[3]) : 5);
}

} // namespace

int run(int argc, char** argv) {
  return run_benchmark(
    argc, argv,
    "[check|trainer|memory] M1|M2|M3|M4|M5 BATCH sgd|adam [RUNS, or with trainer or memory "
    "KEY=VALUE...]",
    3, measure_all);
}

} // namespace troupe::bench::throughput_benchmark
