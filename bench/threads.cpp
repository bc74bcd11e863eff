// threads [THREADS] [RUNS]: a training step with its batch split over THREADS threads (2) and the
// same step on one thread, alternating: M1 at batch 512, M2 at 64, M5 at 256 with momentum. Prints
// microseconds per step for both and the ratio one / many (2 means one more core's worth).
//
// threads MODEL BATCH THREADS RUNS: a single case.
#include "bench/benchmarks.hpp"
#include "bench/models.hpp"
#include "bench/program.hpp"
#include "bench/report.hpp"
#include "model/layers/convolution/convolution.hpp"
#include "model/layers/convolution/pooling.hpp"
#include "model/layers/flatten.hpp"
#include "model/layers/output.hpp"
#include "model/layers/relu.hpp"
#include "model/training/host_learner.hpp"
#include "model/training/split_model.hpp"

namespace troupe::bench::threads_benchmark {

namespace {

/// M2 of the reference programs: two convolutions of 5 x 5, each with pooling, and two linear
/// layers.
std::unique_ptr<Model> convolutional(const DataSpec& data) {
  Network::Layers layers;
  const auto add = [&layers](auto layer) { layers.push_back(std::move(layer)); };
  for (const Index channels : {20, 50}) {
    add(std::make_unique<ConvolutionLayer<float>>(
      2, ConvolutionOptions{.channels = channels, .kernel = 5}));
    add(std::make_unique<ReluLayer<float>>());
    add(std::make_unique<MaxPoolingLayer<float>>());
  }
  add(std::make_unique<FlattenLayer<float>>());
  add(std::make_unique<LinearLayer<float>>(500));
  add(std::make_unique<ReluLayer<float>>());
  add(std::make_unique<OutputLayer<float>>(prediction_shape(data)));
  return std::make_unique<Network>(std::move(layers), data);
}

class Steps {
public:
  Steps(const std::shared_ptr<const UniformProblem>& problem, const std::string& model, Index batch,
        Index threads)
    : learner_(
      problem, split(problem->spec(), model, threads),
      bench_optimizer("sgd", size_of(problem->spec(), model)),
      BatchOrder{
        {.examples = problem->size(Section::train), .batch_size = batch, .drop_last = true}}) {
    learner_.initialize({1});
  }

  double seconds(Step steps) {
    const auto began = now();
    for (Step i = 0; i < steps; ++i) {
      learner_.read(cursor_);
      learner_.train(cursor_++);
    }
    return now() - began;
  }

private:
  static std::unique_ptr<Model> whole(const DataSpec& data, const std::string& model) {
    if (model == "M2")
      return convolutional(data);
    return std::make_unique<Network>(data, network_options(model));
  }
  static Index size_of(const DataSpec& data, const std::string& model) {
    return whole(data, model)->layout().size();
  }
  static std::unique_ptr<Model> split(const DataSpec& data, const std::string& model,
                                      Index threads) {
    if (threads == 1)
      return whole(data, model);
    return std::make_unique<SplitModel>(whole(data, model), threads);
  }

  HostLearner learner_;
  Step cursor_ = 0;
};

void compare(const std::string& model, Index batch, Index threads, int runs) {
  const Shape shape = model == "M2" ? Shape{any_size, 28, 28} : Shape{any_size, 784};
  const auto problem = std::make_shared<UniformProblem>(20000, 0, shape);
  Steps one{problem, model, batch, 1}, many{problem, model, batch, threads};
  many.seconds(3);
  const auto steps = static_cast<Step>(0.3 / (one.seconds(3) / 3)) + 2;
  std::vector<double> one_runs, many_runs, ratios;
  for (int i = 0; i < runs; ++i) {
    const auto scale = 1e6 / static_cast<double>(steps);
    const auto before = one.seconds(steps) * scale;
    many_runs.push_back(many.seconds(steps) * scale);
    const auto after = one.seconds(steps) * scale;
    one_runs.push_back((before + after) / 2);
    ratios.push_back(one_runs.back() / many_runs.back());
  }
  const auto name = model + " B" + std::to_string(batch);
  report("one thread " + name, "us/step", one_runs);
  report(std::to_string(threads) + " threads " + name, "us/step", many_runs);
  report("throughput of " + std::to_string(threads) + " threads / one " + name, "ratio", ratios);
}

void measure_all(const Arguments& arguments) {
  if (arguments.size() == 4) {
    compare(arguments[0], std::stol(arguments[1]), std::stol(arguments[2]),
            std::stoi(arguments[3]));
    return;
  }
  const auto threads = arguments.empty() ? 2 : std::stol(arguments[0]);
  const auto runs = arguments.size() < 2 ? 7 : std::stoi(arguments[1]);
  compare("M1", 512, threads, runs);
  compare("M2", 64, threads, runs);
  compare("M5", 256, threads, runs);
}

} // namespace

int run(int argc, char** argv) {
  return run_benchmark(argc, argv, "[THREADS] [RUNS], or M1|M2|M5 BATCH THREADS RUNS", 0,
                       measure_all);
}

} // namespace troupe::bench::threads_benchmark
