// A batch that is split over threads gives the loss and the gradient of the whole batch.
#include "model/losses/loss.hpp"
#include "model/losses/make_loss.hpp"
#include "model/optimizers/make_optimizer.hpp"
#include "model/tensor/split_write.hpp"
#include "model/training/split_model.hpp"
#include "tests/support/small_zoo.hpp"

#include <catch2/catch.hpp>

#include <cmath>
#include <numeric>

using namespace troupe;
using namespace troupe::test;
using Catch::Contains;

namespace {

Batch batch_of(const DataSpec& data, Index examples) {
  std::vector<Index> rows(static_cast<std::size_t>(examples));
  std::iota(rows.begin(), rows.end(), Index{0});
  Batch batch;
  RandomProblem{data}.gather(Section::train, rows, batch);
  batch.noise = {3};
  return batch;
}

struct Found {
  double loss = 0;
  Buffer<float> gradient;
};

Found found_by(Model& model, const Batch& batch) {
  Buffer<float> parameters(static_cast<std::size_t>(model.layout().size()));
  model.initialize(parameters, {2});
  Found found{0, Buffer<float>(parameters.size(), 99.0f)};
  found.loss = model.loss_and_gradient(parameters, batch, found.gradient);
  return found;
}

/// The largest difference between two gradients, relative to the largest element.
double difference(const Found& a, const Found& b) {
  double largest = 0, worst = 0;
  for (std::size_t i = 0; i < a.gradient.size(); ++i) {
    largest = std::max(largest, std::abs(double{a.gradient[i]}));
    worst = std::max(worst, std::abs(double{a.gradient[i]} - b.gradient[i]));
  }
  return worst / largest;
}

} // namespace

TEST_CASE("a batch split over threads gives the loss and gradient of the whole", "[threads]") {
  const std::string name = GENERATE("mlp", "lenet", "char_lstm", "gpt_mini");
  const Index threads = GENERATE(1, 2, 3);
  const Index examples = GENERATE(1, 2, 13); // fewer than threads, one each, uneven
  INFO(name << ", " << threads << " threads, " << examples << " examples");
  const auto batch = batch_of(data_for(name), examples);
  const auto whole = found_by(*small_network(name), batch);
  SplitModel split{small_network(name), threads};
  const auto found = found_by(split, batch);
  CHECK(found.loss == Approx(whole.loss).epsilon(1e-5));
  CHECK(difference(whole, found) < 1e-5);
}

TEST_CASE("a slice whose targets are all masked adds nothing", "[threads]") {
  auto batch = batch_of(data_for("char_lstm"), 4);
  auto& classes = batch.targets[0].classes;
  const auto half = static_cast<std::ptrdiff_t>(classes.size() / 2);
  SplitModel split{small_network("char_lstm"), 2};
  SECTION("the last slice") { std::fill(classes.begin() + half, classes.end(), masked_class); }
  SECTION("the first slice") { std::fill(classes.begin(), classes.begin() + half, masked_class); }
  const auto whole = found_by(*small_network("char_lstm"), batch);
  const auto found = found_by(split, batch);
  CHECK(found.loss == Approx(whole.loss).epsilon(1e-5));
  CHECK(difference(whole, found) < 1e-5);
}

TEST_CASE("the weight of a loss is known without a prediction", "[losses]") {
  const auto weight = [](const std::string& loss, const BasicBatchField<float>& target) {
    return make_loss<float>({loss})->weight({{}, 2, target});
  };
  CHECK(weight("masked_cross_entropy", {.values = {}, .classes = {1, -1, 0}}) == 2);
  const BasicBatchField<float> numbers{.values = {1, -1, 0, 0}, .classes = {}};
  CHECK(weight("masked_binary_cross_entropy", numbers) == 3);
  CHECK(weight("mean_squared_error", numbers) == 4);
  CHECK(weight("multi_label_margin", numbers) == 2); // rows
}

TEST_CASE("a split batch has the loss for several classes per row", "[threads]") {
  const DataSpec data{{{"x", ElementType::float32, {any_size, 4}, 0}},
                      {{"y", ElementType::float32, {any_size, 3}, 0}}};
  auto batch = batch_of(data, 5);
  for (auto& y : batch.targets[0].values)
    y = std::round(y);
  const auto network = [&] {
    return std::make_unique<Network>(data,
                                     NetworkOptions{.hidden = {}, .loss = "multi_label_margin"});
  };
  const auto whole = found_by(*network(), batch);
  SplitModel split{network(), 2};
  const auto found = found_by(split, batch);
  CHECK(found.loss == Approx(whole.loss).epsilon(1e-5));
  CHECK(difference(whole, found) < 1e-5);
}

TEST_CASE("a fully masked split batch has loss and gradient 0", "[threads]") {
  auto batch = batch_of(data_for("char_lstm"), 4);
  std::fill(batch.targets[0].classes.begin(), batch.targets[0].classes.end(), masked_class);
  SplitModel split{small_network("char_lstm"), 2};
  const auto found = found_by(split, batch);
  CHECK(found.loss == 0);
  CHECK(std::all_of(found.gradient.begin(), found.gradient.end(), [](float g) { return g == 0; }));
}

TEST_CASE("a split batch gives the same bits every time, dropout included", "[threads]") {
  const auto batch = batch_of(data_for("gpt_mini"), 13);
  SplitModel split{small_network("gpt_mini", 0.3), 3};
  const auto first = found_by(split, batch);
  for (int again = 0; again < 20; ++again) {
    const auto found = found_by(split, batch);
    REQUIRE(found.loss == first.loss);
    REQUIRE(found.gradient == first.gradient);
  }
  CHECK(found_by(*split.clone(), batch).gradient == first.gradient);
}

TEST_CASE("each slice draws its own noise", "[threads]") {
  auto batch = batch_of(data_for("gpt_mini"), 2);
  auto& text = batch.inputs[0].values;
  auto& next = batch.targets[0].classes;
  const auto half = static_cast<std::ptrdiff_t>(text.size() / 2);
  std::copy(text.begin(), text.begin() + half, text.begin() + half);
  std::copy(next.begin(), next.begin() + half, next.begin() + half);
  Batch one = batch_of(data_for("gpt_mini"), 1);
  one.noise = batch.noise.derive(0);
  SplitModel split{small_network("gpt_mini", 0.5), 2};
  CHECK(found_by(split, batch).loss != found_by(*small_network("gpt_mini", 0.5), one).loss);
}

TEST_CASE("a model that mixes the examples of a batch is not split", "[threads]") {
  CHECK_THROWS_WITH(SplitModel(small_network("resnet_small"), 2),
                    Contains("batch_norm") && Contains("set training.threads to 1"));
  CHECK_NOTHROW(SplitModel(small_network("resnet_small"), 1));
}

TEST_CASE("an error in a slice is reported as of the whole batch", "[threads]") {
  auto batch = batch_of(data_for("mlp"), 4);
  batch.targets[0].classes.back() = 99;
  SplitModel split{small_network("mlp"), 2};
  CHECK_THROWS_WITH(found_by(split, batch), Contains("99"));
}

TEMPLATE_TEST_CASE("a step that threads share has the bits of one thread", "[threads]", SgdOptions,
                   AdamOptions, RmsPropOptions, AdaGradOptions, AdaDeltaOptions) {
  const auto size = 3 * split_from + 77; // its ranges have different lengths
  Buffer<float> gradient(static_cast<std::size_t>(size));
  for (std::size_t i = 0; i < gradient.size(); ++i)
    gradient[i] = static_cast<float>(i % 1009) * 0.01f - 5;
  const auto stepped = [&](ThreadPool* pool) {
    const ThreadPoolScope threads{pool};
    const ComputeScope scope;
    const auto optimizer = make_optimizer(TestType{}, size);
    Buffer<float> from(gradient.size(), 0.5f), to(gradient.size());
    for (int i = 0; i < 3; ++i) {
      optimizer->step_from(from, to, gradient);
      optimizer->step(to, gradient);
      std::swap(from, to);
    }
    return from;
  };
  ThreadPool three{3};
  CHECK(stepped(&three) == stepped(nullptr));
}
