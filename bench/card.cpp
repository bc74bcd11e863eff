// card check [SEED [small]]: programs, losses, optimizers and clipping on graphics card 0 against the same
// operations on the host, the gradients in double; prints a line for each case and the largest
// relative error. card bare MODEL BATCH sgd|adam [float32|tf32|bfloat16]: microseconds per step of
// the captured step alone, replayed in a loop, without actors and extensions.
#include "bench/benchmarks.hpp"
#include "bench/models.hpp"
#include "bench/program.hpp"
#include "bench/report.hpp"
#include "model/device/device_learner.hpp"
#include "model/device/device_model.hpp"
#include "model/device/devices.hpp"
#include "model/device/network_program.hpp"
#include "model/training/host_learner.hpp"
#include "tests/support/host_card.hpp"
#include "tests/support/random_problem.hpp"

#include <numeric>
#include <stdexcept>

namespace troupe::bench::card_benchmark {

namespace {

/// A case of the check.
struct CardCase {
  std::string name;
  Index inputs, outputs, batch;
  NetworkOptions network;
  LearnerOptions learner;
  std::string optimizer = "momentum";
};

DataSpec rows_for(const CardCase& one) {
  const auto numbers = one.network.loss != "auto";
  return {{{"x", ElementType::float32, {any_size, one.inputs}, 0}},
          {numbers ? FieldSpec{"y", ElementType::float32, {any_size, one.outputs}, 0}
                   : FieldSpec{"y", ElementType::class_index, {any_size}, one.outputs}}};
}

std::unique_ptr<Optimizer> optimizer_for(const std::string& name, Index size) {
  if (name == "sgd")
    return make_optimizer(SgdOptions{.learning_rate = 0.05, .weight_decay = 0.01}, size);
  if (name == "nesterov")
    return make_optimizer(SgdOptions{.learning_rate = 0.02, .momentum = 0.9, .nesterov = true},
                          size);
  if (name == "adam")
    return make_optimizer(AdamOptions{.learning_rate = 1e-4}, size);
  if (name == "adamw")
    return make_optimizer(AdamWOptions{.learning_rate = 1e-4}, size);
  return make_optimizer(SgdOptions{.learning_rate = 0.02, .momentum = 0.9}, size);
}

using Begin = BeginDeviceRun;

std::unique_ptr<DeviceLearner> learner_for(const CardCase& one, std::uint64_t resident,
                                           const Begin& begin) {
  const auto data = rows_for(one);
  auto model = std::make_unique<Network>(data, one.network);
  auto optimizer = optimizer_for(one.optimizer, model->layout().size());
  const Index examples = 3 * one.batch + one.batch / 2 + 1; // a ragged last batch
  auto learner = std::make_unique<DeviceLearner>(
    std::make_shared<test::RandomProblem>(data, examples), std::move(model), std::move(optimizer),
    BatchOrder{{.examples = examples, .batch_size = one.batch, .key = {17}}}, one.learner,
    DeviceLearnerOptions{.resident_bytes = resident}, begin);
  learner->initialize({3});
  return learner;
}

double relative_error(std::span<const float> seen, std::span<const float> expected) {
  double squares = 0, all = 1e-30;
  for (std::size_t i = 0; i < seen.size(); ++i) {
    const auto d = double(seen[i]) - double(expected[i]);
    squares += d * d;
    all += double(expected[i]) * double(expected[i]);
  }
  return std::isfinite(squares) ? std::sqrt(squares / all) : INFINITY;
}

/// Gradient of one batch on the card against the program in double.
double gradient_error_of(const CardCase& one) {
  const auto data = rows_for(one);
  const Network network{data, one.network};
  const auto learner = learner_for(one, std::uint64_t{1} << 30, begin_device_run);
  test::StepMemory<double> memory;
  const auto parameters = learner->parameters();
  memory.parameters.assign(parameters.view().begin(), parameters.view().end());
  memory.gradient.assign(memory.parameters.size(), 0);
  std::vector<Index> rows;
  auto order = learner->order();
  order.rows(0, rows);
  Batch batch;
  learner->problem().gather(Section::train, rows, batch);
  memory.inputs.assign(batch.inputs[0].values.begin(), batch.inputs[0].values.end());
  memory.classes.assign(batch.targets[0].classes.begin(), batch.targets[0].classes.end());
  memory.values.assign(batch.targets[0].values.begin(), batch.targets[0].values.end());
  test::carry_out(network_program(network, batch.size, true), memory,
                  key_of_number(one.learner.noise.value, 0));
  learner->read(0);
  learner->compute_gradient(0, true);
  const std::vector<float> expected(memory.gradient.begin(), memory.gradient.end());
  return relative_error(learner->gradient(), expected);
}

/// Predictions of one batch on the card against the host's.
double prediction_error_of(const CardCase& one) {
  const auto data = rows_for(one);
  Network network{data, one.network};
  DeviceModel card{network, {}, begin_device_run};
  Block parameters{network.layout().size()};
  network.initialize(parameters.edit(), {3});
  std::vector<Index> rows(static_cast<std::size_t>(one.batch));
  std::iota(rows.begin(), rows.end(), Index{0});
  Batch batch;
  test::RandomProblem{data, one.batch}.gather(Section::train, rows, batch);
  return relative_error(card.forward(parameters.view(), batch),
                        network.forward(parameters.view(), batch));
}

void train_steps(Learner& learner, Step begin, Step end) {
  for (auto cursor = begin; cursor < end; ++cursor) {
    learner.read(cursor);
    learner.train(cursor);
    static_cast<void>(learner.late_results());
  }
  learner.settle();
}

bool report_case(const std::string& name, double error, double bound) {
  const auto good = error <= bound;
  std::printf("%-6s %-52s %.2e (bound %.0e)\n", good ? "ok" : "WRONG", name.c_str(), error, bound);
  return good;
}

/// @param small for a card that is imitated
std::vector<CardCase> card_cases(Random& random, bool small) {
  std::vector<CardCase> cases;
  const auto size = [&](Index most) { return 1 + random.below(small ? most / 10 : most); };
  for (const auto* activation : {"relu", "tanh", "sigmoid", "leaky_relu", "silu", "gelu"})
    cases.push_back({std::string{"activation "} + activation,
                     size(300),
                     1 + size(40),
                     size(200),
                     {.hidden = {size(200), size(100)}, .activation = activation},
                     {}});
  for (const auto* loss : {"mean_squared_error", "mean_absolute_error", "smooth_l1", "poisson",
                           "kl_divergence", "binary_cross_entropy", "masked_binary_cross_entropy"})
    cases.push_back({std::string{"loss "} + loss,
                     size(90),
                     size(40),
                     size(200),
                     {.hidden = {size(60)}, .loss = loss},
                     {}});
  for (const auto* optimizer : {"sgd", "momentum", "nesterov", "adam", "adamw"})
    cases.push_back({std::string{"optimizer "} + optimizer,
                     50,
                     10,
                     32,
                     {.hidden = {small ? 16 : 64}, .label_smoothing = 0.1},
                     {},
                     optimizer});
  const auto clipped = [&](const std::string& name, ClippingOptions clipping, NanPolicy nan) {
    LearnerOptions options;
    options.clipping = clipping;
    options.nan = nan;
    cases.push_back({name, 50, 10, small ? 8 : 32, {.hidden = {small ? 16 : 64, 33}}, options});
  };
  clipped("clipping.element", {.element = 0.001}, NanPolicy::stop);
  clipped("clipping.norm", {.norm = 0.1}, NanPolicy::stop);
  clipped("clipping.parameter_norm", {.parameter_norm = 0.05}, NanPolicy::stop);
  clipped("nan: skip", {}, NanPolicy::skip);
  clipped("nan: remove", {}, NanPolicy::remove);
  return cases;
}

void check(const Arguments& arguments) {
  Random random{RandomKey{arguments.size() > 1 ? std::stoull(arguments[1]) : 1}};
  const auto host_card = [](const DevicePlan& plan) -> std::unique_ptr<DeviceRun> {
    return std::make_unique<test::HostCard>(plan);
  };
  auto good = true;
  const auto resident = std::uint64_t{1} << 30;
  const auto small = arguments.size() > 2 && arguments[2] == "small";
  const Step steps = small ? 21 : 43; // some epochs, with graphs of one step and of several
  for (const auto& one : card_cases(random, small)) {
    good &= report_case(one.name + ": gradient", gradient_error_of(one), 1e-5);
    good &= report_case(one.name + ": prediction", prediction_error_of(one), 1e-5);
    const auto card = learner_for(one, resident, begin_device_run);
    const auto again = learner_for(one, resident, begin_device_run);
    const auto streamed = learner_for(one, 0, begin_device_run);
    const auto host = learner_for(one, resident, host_card);
    for (auto* learner : {card.get(), again.get(), streamed.get(), host.get()})
      train_steps(*learner, 0, steps);
    const auto view = [](const auto& learner) { return learner->parameters().view(); };
    good &= report_case(one.name + ": some epochs", relative_error(view(card), view(host)), 1e-3);
    good &= report_case(one.name + ": the same bits again",
                        card->parameters() == again->parameters() ? 0 : 1, 0);
    good &= report_case(one.name + ": the same bits streamed",
                        card->parameters() == streamed->parameters() ? 0 : 1, 0);
    const auto before = card->run().allocations();
    train_steps(*card, steps, 2 * steps);
    good &= report_case(one.name + ": memory taken in the steady state",
                        static_cast<double>(card->run().allocations() - before), 0);
  }
  if (!good)
    throw std::runtime_error("the card and the host differ");
}

void bare(const Arguments& arguments) {
  const auto& model = arguments.at(1);
  const auto batch = static_cast<Index>(std::stoll(arguments.at(2)));
  const auto& optimizer = arguments.at(3);
  auto precision = Precision::float32;
  if (arguments.size() > 4 && !from_text(arguments[4], precision))
    throw std::invalid_argument("there is no precision '" + arguments[4] + "'");
  const auto problem = problem_of(model);
  auto network = std::make_unique<Network>(problem->spec(), network_options(model));
  auto steps_of = bench_optimizer(optimizer, network->layout().size());
  const BatchOrder order{
    {.examples = problem->size(Section::train), .batch_size = batch, .drop_last = true}};
  DeviceLearner learner{problem,
                        std::move(network),
                        std::move(steps_of),
                        order,
                        {},
                        {.precision = precision, .resident_bytes = std::uint64_t{1} << 34},
                        begin_device_run};
  learner.initialize({1});
  train_steps(learner, 0, 64);
  // The learner's loop is the bare graph with less than a microsecond of host work per step beside
  // it, which overlaps with the card's.
  Step cursor = 64, steps = 64;
  const auto seconds = [&](Step count) {
    const auto began = now();
    train_steps(learner, cursor, cursor + count);
    cursor += count;
    return now() - began;
  };
  while (seconds(steps) < 0.1)
    steps *= 2;
  std::vector<double> runs;
  for (int i = 0; i < 5; ++i)
    runs.push_back(seconds(steps) / static_cast<double>(steps) * 1e6);
  report("bare " + model + " B" + std::to_string(batch) + " " + optimizer + " "
           + to_string(precision),
         "us/step", runs);
}

} // namespace

int run(int argc, char** argv) {
  return run_benchmark(argc, argv, "check [SEED [small]] | bare MODEL BATCH sgd|adam [PRECISION]",
                       1, [](const Arguments& arguments) {
                         if (arguments[0] == "check")
                           check(arguments);
                         else
                           bare(arguments);
                       });
}

} // namespace troupe::bench::card_benchmark
