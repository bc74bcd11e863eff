#include "model/device/network_program.hpp"
#include "model/layers/dropout.hpp"
#include "model/layers/linear.hpp"
#include "model/layers/output.hpp"
#include "model/layers/relu.hpp"
#include "model/layers/tanh.hpp"
#include "tests/support/host_card.hpp"
#include "tests/support/random_problem.hpp"

#include <catch2/catch.hpp>

using namespace troupe;
using namespace troupe::test;
using Catch::Contains;

namespace {

/// Rows of 9 numbers, with a class each, or with 3 numbers.
DataSpec rows_with_class() {
  return {{{"x", ElementType::float32, {any_size, 9}, 0}},
          {{"y", ElementType::class_index, {any_size}, 4}}};
}
DataSpec rows_with_numbers() {
  return {{{"x", ElementType::float32, {any_size, 9}, 0}},
          {{"y", ElementType::float32, {any_size, 3}, 0}}};
}

template <class Scalar>
void add_layers(typename BasicNetwork<Scalar>::Layers& layers, const DataSpec& data) {
  layers.push_back(std::make_unique<LinearLayer<Scalar>>(7));
  layers.push_back(std::make_unique<ReluLayer<Scalar>>());
  layers.push_back(std::make_unique<DropoutLayer<Scalar>>(DropoutOptions{.rate = 0.3}));
  layers.push_back(std::make_unique<LinearLayer<Scalar>>(6));
  layers.push_back(std::make_unique<TanhLayer<Scalar>>());
  layers.push_back(std::make_unique<DropoutLayer<Scalar>>(DropoutOptions{.rate = 0.5}));
  layers.push_back(std::make_unique<OutputLayer<Scalar>>(prediction_shape(data)));
}

/// A batch in double, from the same numbers.
BasicBatch<double> in_double(const Batch& batch) {
  BasicBatch<double> wide;
  wide.size = batch.size;
  wide.noise = batch.noise;
  const auto widen = [](const auto& from, auto& to) {
    for (const auto& field : from) {
      BasicBatchField<double> copy;
      copy.values.assign(field.values.begin(), field.values.end());
      copy.classes = field.classes;
      to.push_back(std::move(copy));
    }
  };
  widen(batch.inputs, wide.inputs);
  widen(batch.targets, wide.targets);
  return wide;
}

/// The largest difference of loss and gradient between the program and the network in double,
/// relative to the largest number.
double program_error(const Network& network, BasicNetwork<double>& exact, const DataSpec& data,
                     Index examples) {
  RandomProblem problem{data};
  std::vector<Index> rows(static_cast<std::size_t>(examples));
  for (std::size_t i = 0; i < rows.size(); ++i)
    rows[i] = static_cast<Index>(i);
  Batch batch;
  problem.gather(Section::train, rows, batch);
  batch.noise = RandomKey{11}.derive(5);
  const auto size = static_cast<std::size_t>(network.layout().size());
  StepMemory<double> memory;
  memory.parameters.resize(size);
  memory.gradient.assign(size, NAN);
  exact.initialize(memory.parameters, RandomKey{3});
  for (auto& p : memory.parameters)
    p += 0.01; // biases, too
  const auto wide = in_double(batch);
  memory.inputs.assign(wide.inputs[0].values.begin(), wide.inputs[0].values.end());
  memory.classes.assign(wide.targets[0].classes.begin(), wide.targets[0].classes.end());
  memory.values.assign(wide.targets[0].values.begin(), wide.targets[0].values.end());
  const auto sum = carry_out(network_program(network, examples, true), memory, batch.noise.value);
  std::vector<double> gradient(size);
  const auto loss = exact.loss_and_gradient(memory.parameters, wide, gradient);
  double worst = std::abs(sum.sum / sum.weight - loss), largest = 1e-3;
  for (std::size_t i = 0; i < size; ++i) {
    worst = std::isnan(memory.gradient[i])
              ? INFINITY
              : std::max(worst, std::abs(memory.gradient[i] - gradient[i]));
    largest = std::max(largest, std::abs(gradient[i]));
  }
  return worst / largest;
}

constexpr double rounding = 1e-6; // shares of float32 in the losses, and gelu's constants

} // namespace

TEST_CASE("a program for a card computes what the network does, with each activation", "[device]") {
  const auto activation = GENERATE("relu", "tanh", "sigmoid", "leaky_relu", "silu", "gelu");
  const NetworkOptions options{.hidden = {8, 5}, .activation = activation, .label_smoothing = 0.1};
  const Network network{rows_with_class(), options};
  BasicNetwork<double> exact{rows_with_class(), options};
  CAPTURE(activation);
  CHECK(program_error(network, exact, rows_with_class(), 6) < rounding);
  CHECK(program_error(network, exact, rows_with_class(), 1) < rounding);
}

TEST_CASE("a program for a card draws the masks of dropout that the host draws", "[device]") {
  Network::Layers layers;
  BasicNetwork<double>::Layers exact_layers;
  add_layers<float>(layers, rows_with_class());
  add_layers<double>(exact_layers, rows_with_class());
  const Network network{std::move(layers), rows_with_class()};
  BasicNetwork<double> exact{std::move(exact_layers), rows_with_class()};
  CHECK(program_error(network, exact, rows_with_class(), 13) < rounding);
}

TEST_CASE("a program for a card computes each loss of numbers", "[device]") {
  const auto loss
    = GENERATE("mean_squared_error", "mean_absolute_error", "smooth_l1", "poisson", "kl_divergence",
               "binary_cross_entropy", "masked_binary_cross_entropy", "multi_label_soft_margin");
  const NetworkOptions options{.hidden = {6}, .loss = loss};
  const Network network{rows_with_numbers(), options};
  BasicNetwork<double> exact{rows_with_numbers(), options};
  CAPTURE(loss);
  CHECK(program_error(network, exact, rows_with_numbers(), 7) < rounding);
}

TEST_CASE("a program for a card leaves masked rows out", "[device]") {
  auto data = rows_with_class();
  data.targets[0].masked = true;
  const NetworkOptions options{.hidden = {6}};
  const Network network{data, options};
  BasicNetwork<double> exact{data, options};
  CHECK(program_error(network, exact, data, 20) < rounding);
}

TEST_CASE("a program for a card stops at the first trained layer", "[device]") {
  const NetworkOptions options{.hidden = {6, 5}, .frozen = {"linear0.*"}};
  const Network network{rows_with_class(), options};
  for (const auto& op : network_program(network, 4, true).ops)
    if (const auto* product = std::get_if<ProductOp>(&op))
      CHECK_FALSE(product->c == DeviceArray{DeviceSpace::gradient, 0});
}

TEST_CASE("what a card cannot compute is refused by name", "[device]") {
  CHECK_THROWS_WITH(
    network_program(Network{rows_with_numbers(), {.loss = "multi_label_margin"}}, 4, true),
    Contains("loss multi_label_margin") && Contains("training.device: cpu"));
  CHECK_THROWS_WITH(
    network_program(Network{rows_with_class(),
                            {.hidden = {9, 9}, .share = {{"linear1.weight", "linear0.weight"}}}},
                    4, true),
    Contains("model.share"));
}
