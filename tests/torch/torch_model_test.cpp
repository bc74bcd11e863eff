#include "model/optimizers/make_optimizer.hpp"
#include "model/training/host_learner.hpp"
#include "model/zoo/network.hpp"
#include "tests/support/data_files.hpp"
#include "tests/support/random_problem.hpp"
#include "tests/torch/torch_stage.hpp"

#include <catch2/catch.hpp>

#include <thread>

using namespace troupe;

namespace {

/// The parameters of our perceptron from a module's, whose weights are transposed.
Buffer<float> as_ours(const Layout& ours, const Layout& torch, std::span<const float> values) {
  Buffer<float> result(static_cast<std::size_t>(ours.size()));
  for (const auto& [to, from] : {std::pair{"linear0.weight", "fc1.weight"},
                                 {"linear0.bias", "fc1.bias"},
                                 {"linear1.weight", "fc2.weight"},
                                 {"linear1.bias", "fc2.bias"}}) {
    const auto& a = *ours.find(to);
    const auto& b = *torch.find(from);
    const auto columns = a.shape.size() == 2 ? a.shape[1] : 1, rows = a.size() / columns;
    for (Index i = 0; i < rows; ++i)
      for (Index j = 0; j < columns; ++j)
        result[a.offset + i * columns + j] = values[b.offset + j * rows + i];
  }
  return result;
}

Buffer<float> first_values(const Model& model) {
  Buffer<float> values(static_cast<std::size_t>(model.layout().size()));
  model.initialize(values, RandomKey{1});
  return values;
}

Batch examples_of(const DataSpec& data) {
  return test::gather_all(test::RandomProblem{data, 9}, Section::train);
}

/// Seven tokens, with a class at each position.
DataSpec seven_tokens() {
  return {{{"text", ElementType::float32, {any_size, 12}, 7}},
          {{"next", ElementType::class_index, {any_size, 12}, 7}}};
}

/// Sequences of five times six numbers, with a class each.
DataSpec short_sequences() {
  return {{{"x", ElementType::float32, {any_size, 5, 6}, 0}},
          {{"y", ElementType::class_index, {any_size}, 3}}};
}

/// The result of a pass: loss, then gradient.
Buffer<float> trained_once(Model& model, std::span<const float> values, const Batch& batch) {
  Buffer<float> result(values.size() + 1);
  result[0] = static_cast<float>(
    model.loss_and_gradient(values, batch, std::span<float>{result}.subspan(1)));
  return result;
}

/// Compares the gradient of the first number of each parameter with differences of the loss.
void check_gradients(Model& model, const Batch& batch, const std::vector<std::string>& names) {
  auto values = first_values(model);
  const auto at = trained_once(model, values, batch);
  for (const auto& name : names) {
    INFO(name);
    const auto i = static_cast<std::size_t>(model.layout().find(name)->offset);
    constexpr float h = 1e-2f;
    values[i] += h;
    const auto above = trained_once(model, values, batch)[0];
    values[i] -= 2 * h;
    const auto below = trained_once(model, values, batch)[0];
    values[i] += h;
    CHECK(at[i + 1] != 0);
    CHECK(at[i + 1] == Approx((above - below) / (2 * h)).margin(2e-4));
  }
}

/// The digits module after some training steps.
Block trained_digits(Index steps) {
  auto problem = std::make_shared<test::RandomProblem>(test::random_images());
  auto model = test::torch_model("digits", problem->spec());
  const auto size = model->layout().size();
  BatchOrderOptions order;
  order.examples = problem->size(Section::train);
  order.batch_size = 16;
  LearnerOptions options;
  options.noise = RandomKey{5};
  HostLearner learner{problem, std::move(model), make_optimizer(SgdOptions{.momentum = 0.9}, size),
                      BatchOrder{order}, options};
  learner.initialize(RandomKey{1});
  for (Step i = 0; i < static_cast<Step>(steps); ++i) {
    learner.read(i);
    learner.train(i);
  }
  return learner.parameters();
}

} // namespace

TEST_CASE("a module's loss and gradient equal those of our perceptron with its weights",
          "[torch]") {
  const auto data = test::six_numbers();
  const auto torch = test::torch_model("perceptron", data);
  Network ours{data, {.hidden = {5}}};
  const auto values = first_values(*torch);
  const auto batch = examples_of(data);
  const auto its = trained_once(*torch, values, batch);
  const auto mine = trained_once(ours, as_ours(ours.layout(), torch->layout(), values), batch);
  CHECK(its[0] == Approx(mine[0]).epsilon(1e-6));
  const auto turned
    = as_ours(ours.layout(), torch->layout(), std::span<const float>{its}.subspan(1));
  for (std::size_t i = 0; i < turned.size(); ++i)
    CHECK(turned[i] == Approx(mine[i + 1]).margin(1e-5));
  const auto y = torch->forward(values, batch);
  const auto z = ours.forward(as_ours(ours.layout(), torch->layout(), values), batch);
  for (std::size_t i = 0; i < y.size(); ++i)
    CHECK(y[i] == Approx(z[i]).margin(1e-5));
}

TEST_CASE("every loss of Troupe is backpropagated through a module", "[torch]") {
  DataSpec data = test::six_numbers();
  data.targets.front() = {"y", ElementType::float32, {any_size, 3}, 0};
  const auto batch = examples_of(data);
  for (const auto* loss : {"mean_squared_error", "binary_cross_entropy", "smooth_l1"}) {
    INFO(loss);
    const auto torch = test::torch_model("perceptron", data, {.loss = loss});
    Network ours{data, {.hidden = {5}, .loss = loss}};
    const auto values = first_values(*torch);
    const auto its = trained_once(*torch, values, batch);
    const auto mine = trained_once(ours, as_ours(ours.layout(), torch->layout(), values), batch);
    CHECK(its[0] == Approx(mine[0]).epsilon(1e-5));
  }
}

TEST_CASE("a module's layout has its parameters by name and role, then its buffers", "[torch]") {
  const auto digits = test::torch_model("digits", test::random_images(), {.frozen = {"fc2.*"}});
  const auto& layout = digits->layout();
  CHECK(layout.parameters().front().name == "fc1.weight");
  CHECK(layout.find("fc1.weight")->shape == Shape{24, 49});
  CHECK(layout.find("fc1.weight")->role == ParameterRole::trained);
  CHECK(layout.find("fc2.bias")->role == ParameterRole::frozen);
  CHECK(layout.find("norm.running_var")->role == ParameterRole::statistic);
  CHECK(layout.find("norm.num_batches_tracked")->shape == Shape{1});
  CHECK(digits->prediction().shape == Shape{any_size, 10});
  const auto tokens = test::torch_model("tokens", seven_tokens());
  CHECK(tokens->layout().find("output.weight") == nullptr); // tied to the embedding
  CHECK(tokens->layout().find("order") == nullptr);         // a table of integers
  CHECK(tokens->layout().find("shift")->role == ParameterRole::frozen);
  CHECK(tokens->layout().find("scale")->shape == Shape{1});
}

TEST_CASE("tied weights of a module get the gradient of both uses", "[torch][gradient]") {
  const auto data = seven_tokens();
  const auto model = test::torch_model("tokens", data);
  check_gradients(*model, examples_of(data), {"embedding.weight", "scale", "output.bias"});
  const auto& layout = model->layout();
  const auto at = trained_once(*model, first_values(*model), examples_of(data));
  CHECK(at[1 + layout.find("shift")->offset] == 0); // frozen
  CHECK(at[1 + layout.find("seen")->offset] == 1);  // counts the batches
}

TEST_CASE("a recurrent module, which reads its weights through a list, gets their gradient",
          "[torch][gradient]") {
  const auto data = short_sequences();
  const auto model = test::torch_model("recurrent", data);
  check_gradients(*model, examples_of(data),
                  {"rnn.weight_ih_l0", "rnn.bias_hh_l0", "output.weight"});
  CHECK(model->layout().parameters().size() == 6);
}

TEST_CASE("a module's statistics change in training and not in evaluation", "[torch]") {
  const auto data = test::random_images();
  const auto model = test::torch_model("digits", data);
  const auto values = first_values(*model);
  const auto batch = examples_of(data);
  const auto predicted = model->forward(values, batch);
  const Buffer<float> before(predicted.begin(), predicted.end());
  const auto change = trained_once(*model, values, batch);
  const auto mean = static_cast<std::size_t>(model->layout().find("norm.running_mean")->offset);
  CHECK(change[1 + mean] != 0);
  CHECK(change[1 + model->layout().find("norm.num_batches_tracked")->offset] == 1);
  const auto again = model->forward(values, batch); // without dropout, and with the same block
  CHECK(std::equal(again.begin(), again.end(), before.begin(), before.end()));
}

TEST_CASE("a module's random numbers belong to the batch, whatever else draws meanwhile",
          "[torch]") {
  const auto data = test::random_images();
  const auto model = test::torch_model("digits", data);
  const auto values = first_values(*model);
  auto batch = examples_of(data);
  batch.noise = RandomKey{3};
  const auto alone = trained_once(*model, values, batch);
  auto others = batch;
  others.noise = RandomKey{4};
  CHECK(trained_once(*model, values, others) != alone);
  std::vector<int> differing(2);
  std::vector<std::thread> threads;
  for (auto& count : differing)
    threads.emplace_back([&count, &values, &batch, &alone, copy = model->clone()] {
      for (int i = 0; i < 50; ++i)
        count += trained_once(*copy, values, batch) != alone;
    });
  for (auto& thread : threads)
    thread.join();
  CHECK(differing == std::vector<int>{0, 0});
}

TEST_CASE("training a module twice gives the same bits", "[torch]") {
  const auto once = trained_digits(20), twice = trained_digits(20);
  const auto a = once.view(), b = twice.view();
  CHECK(std::equal(a.begin(), a.end(), b.begin(), b.end()));
}

TEST_CASE("memory that libtorch allocates counts as the program's", "[torch]") {
  const auto data = test::random_images();
  const auto model = test::torch_model("digits", data);
  const auto values = first_values(*model);
  const auto batch = examples_of(data);
  const auto before = aligned_traffic().in_use();
  model->forward(values, batch);
  CHECK(aligned_traffic().in_use() > before);
}
