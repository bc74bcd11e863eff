#include "model/optimizers/make_optimizer.hpp"
#include "model/training/host_learner.hpp"
#include "model/training/split_model.hpp"
#include "tests/support/toy_problem.hpp"

#include <catch2/catch.hpp>

#include <cmath>
#include <limits>

using namespace troupe;

namespace {

/// One parameter of each role, with gradient 1 everywhere and the batch's noise as its loss.
class RolesModel : public Model {
public:
  RolesModel() {
    layout_.add("weight", {1});
    layout_.add("embedding", {1}, ParameterRole::frozen);
    layout_.add("mean", {1}, ParameterRole::statistic);
  }
  std::string name() const override { return "roles"; }
  const Layout& layout() const override { return layout_; }
  std::vector<FieldSpec> inputs() const override {
    return {{"x", ElementType::float32, {any_size, 1}, 0}};
  }
  FieldSpec prediction() const override {
    return {"prediction", ElementType::float32, {any_size, 1}, 0};
  }
  TargetKind target_kind() const override { return TargetKind::same_shape; }
  std::string loss_name() const override { return "none"; }
  void initialize(std::span<float> parameters, RandomKey) const override {
    std::fill(parameters.begin(), parameters.end(), 1.0f);
  }
  std::span<const float> forward(std::span<const float>, const Batch&) override { return {}; }
  double loss_and_gradient(std::span<const float>, const Batch& batch,
                           std::span<float> gradient) override {
    std::fill(gradient.begin(), gradient.end(), 1.0f);
    return static_cast<double>(batch.noise.value);
  }
  void evaluate(std::span<const float>, const Batch&, Metrics&) override {}
  std::unique_ptr<Model> clone() const override { return std::make_unique<RolesModel>(*this); }

private:
  Layout layout_;
};

/// A model with a statistic of its prediction.
class CountingModel : public test::ToyModel, public StatisticsSource {
public:
  std::vector<Statistic> statistics() const override { return {{"first"}}; }
  bool reads_prediction() const override { return true; }
  std::vector<double> collect_statistics(const Batch&,
                                         std::span<const float> prediction) const override {
    return {prediction.empty() ? -1.0 : prediction.back()};
  }
  std::unique_ptr<Model> clone() const override { return std::make_unique<CountingModel>(*this); }
};

HostLearner counting_learner(bool statistics, Index threads = 1) {
  std::unique_ptr<Model> model = std::make_unique<CountingModel>();
  if (threads > 1)
    model = std::make_unique<SplitModel>(std::move(model), threads);
  HostLearner learner{std::make_shared<test::ToyProblem>(20),
                      std::move(model),
                      make_optimizer(SgdOptions{.learning_rate = 0.01}, 1),
                      BatchOrder{{.examples = 20, .batch_size = 4, .shuffle = false}},
                      {.statistics = statistics}};
  learner.set_parameters(Block::copy_of(std::vector<float>{0.5f}));
  learner.read(0);
  learner.train(0);
  return learner;
}

HostLearner roles_learner(LearnerOptions options = {}) {
  auto optimizer = make_optimizer(AdamWOptions{.learning_rate = 0.5, .weight_decay = 0.1}, 3);
  HostLearner learner{std::make_shared<test::ToyProblem>(20), std::make_unique<RolesModel>(),
                      std::move(optimizer), BatchOrder{{.examples = 20, .batch_size = 4}}, options};
  learner.initialize({1});
  return learner;
}

} // namespace

TEST_CASE("a learner refuses an optimizer of another size than the model", "[learner][B50]") {
  const auto learner_with = [](std::unique_ptr<Optimizer> optimizer) {
    return HostLearner{std::make_shared<test::ToyProblem>(20), std::make_unique<RolesModel>(),
                       std::move(optimizer), BatchOrder{{.examples = 20, .batch_size = 4}}};
  };
  const auto size = GENERATE(1, 2, 4, 1000);
  CHECK_THROWS_WITH(learner_with(make_optimizer(AdamOptions{}, size)),
                    Catch::Contains("'adam' was made for " + std::to_string(size) + " parameters")
                      && Catch::Contains("'roles' has 3"));
  CHECK_THROWS_AS(learner_with(make_optimizer(AdamOptions{}, size)), std::invalid_argument);
  // cure: : make it with the size of the model's layout
  CHECK_NOTHROW(learner_with(make_optimizer(AdamOptions{}, 3)));
  CHECK_NOTHROW(learner_with(make_optimizer(SgdOptions{}, size))); // which has no slots
}

TEST_CASE("a learner names the part that it was not given", "[learner]") {
  const auto learner_of = [](std::shared_ptr<const Problem> problem, std::unique_ptr<Model> model,
                             std::unique_ptr<Optimizer> optimizer) {
    return HostLearner{std::move(problem), std::move(model), std::move(optimizer),
                       BatchOrder{{.examples = 20, .batch_size = 4}}};
  };
  const auto problem = std::make_shared<test::ToyProblem>(20);
  const auto model = [] { return std::make_unique<RolesModel>(); };
  const auto optimizer = [] { return make_optimizer(SgdOptions{}, 3); };
  CHECK_THROWS_WITH(learner_of(nullptr, model(), optimizer()), Catch::Contains("no problem"));
  CHECK_THROWS_WITH(learner_of(problem, nullptr, optimizer()), Catch::Contains("no model"));
  CHECK_THROWS_WITH(learner_of(problem, model(), nullptr), Catch::Contains("no optimizer"));
}

TEST_CASE("a training step moves trained parameters, keeps frozen ones and adds to statistics",
          "[learner]") {
  auto learner = roles_learner();
  learner.read(0);
  learner.train(0);
  const auto in_place = learner.parameters();
  CHECK(in_place.view()[0] < 0.6f);
  CHECK(in_place.view()[1] == 1);
  CHECK(in_place.view()[2] == 2);
  learner.train(0); // in_place shares the block, so that this step writes to a new one
  CHECK(learner.parameters().view()[1] == 1);
  CHECK(learner.parameters().view()[2] == 3);
  CHECK(in_place.view()[2] == 2);
}

TEST_CASE("the norm of a gradient is that of the trained parameters", "[learner]") {
  auto learner = roles_learner({.clipping = {.norm = 0.5}});
  learner.read(0);
  learner.train(0);
  CHECK(learner.gradient()[0] == 0.5f);
  CHECK(learner.parameters().view()[2] == 2);
}

TEST_CASE("a gradient that replaces the batch's is used in the same way",
          "[learner][gradient_average]") {
  auto learner = roles_learner({.clipping = {.norm = 0.5}});
  learner.read(0);
  learner.compute_gradient(0);
  CHECK(learner.gradient()[0] == 1);
  learner.set_gradient(std::vector<float>{4, 4, 4});
  learner.update(0);
  CHECK(learner.gradient()[0] == 0.5f);       // clipped
  CHECK(learner.parameters().view()[1] == 1); // frozen
  CHECK(learner.parameters().view()[2] == 5); // a statistic changes by it
  CHECK_THROWS_WITH(learner.set_gradient(std::vector<float>{1}),
                    Catch::Contains("a gradient of 1 elements"));
  learner.train(1);
  CHECK(learner.parameters().view()[2] == 6); // the next batch uses its own again
}

TEST_CASE("whether a batch is skipped depends on the replaced gradient",
          "[learner][gradient_average]") {
  const auto nan = std::numeric_limits<float>::quiet_NaN();
  auto learner = roles_learner({.nan = NanPolicy::skip});
  learner.read(0);
  learner.compute_gradient(0);
  learner.set_gradient(std::vector<float>{nan, 0, 0});
  CHECK(learner.update(0).skipped);
  CHECK(learner.parameters().view()[0] == 1);
  learner.compute_gradient(0);
  learner.set_gradient(std::vector<float>{1, 0, 0});
  CHECK_FALSE(learner.update(0).skipped);
  CHECK(learner.parameters().view()[0] < 1);
}

TEST_CASE("the noise of a batch depends on the key and the cursor only", "[learner]") {
  const auto noise_at = [](std::vector<Step> cursors, std::uint64_t key) {
    auto learner = roles_learner({.noise = {key}});
    double noise = 0;
    for (auto cursor : cursors) {
      learner.read(cursor);
      noise = learner.train(cursor).loss;
    }
    return noise;
  };
  CHECK(noise_at({0, 1, 2}, 7) == noise_at({2}, 7));
  CHECK(noise_at({2}, 7) != noise_at({1}, 7));
  CHECK(noise_at({2}, 7) != noise_at({2}, 8));
}

TEST_CASE("a model's statistics are of the prediction before the update, where they are collected",
          "[M32]") {
  using Statistics = std::vector<std::pair<std::string, double>>;
  CHECK(counting_learner(true).statistics() == Statistics{{"first", 1.5}}); // row 3
  CHECK(counting_learner(true, 2).statistics() == Statistics{{"first", 1.5}});
  CHECK(counting_learner(false).statistics().empty());
}

TEST_CASE("a gradient that is not finite is detected where the loss is finite", "[learner][M47]") {
  class Steep : public test::ToyModel {
  public:
    double loss_and_gradient(std::span<const float> parameters, const Batch& batch,
                             std::span<float> gradient) override {
      const auto loss = ToyModel::loss_and_gradient(parameters, batch, gradient);
      gradient[0] = std::numeric_limits<float>::infinity();
      return loss;
    }
  };
  const auto learner_with = [](LearnerOptions options) {
    HostLearner learner{std::make_shared<test::ToyProblem>(20), std::make_unique<Steep>(),
                        make_optimizer(SgdOptions{.learning_rate = 0.5}, 1),
                        BatchOrder{{.examples = 20, .batch_size = 4}}, options};
    learner.set_parameters(Block::copy_of(std::vector<float>{1}));
    learner.read(0);
    return learner;
  };
  auto stopping = learner_with({.nan = NanPolicy::stop});
  CHECK_THROWS_WITH(stopping.train(0), Catch::Contains("the loss or its gradient of batch 1"));
  CHECK(stopping.parameters().view()[0] == 1);
  auto skipping = learner_with({.nan = NanPolicy::skip});
  CHECK(skipping.train(0).skipped);
  CHECK(skipping.parameters().view()[0] == 1);
  auto ignoring = learner_with({.nan = NanPolicy::ignore});
  CHECK_FALSE(ignoring.train(0).skipped);
  CHECK(std::isinf(ignoring.parameters().view()[0]));
  auto removing = learner_with({.nan = NanPolicy::remove});
  CHECK_FALSE(removing.train(0).skipped);
  CHECK(removing.parameters().view()[0] == 1);
  auto clipping = learner_with({.clipping = {.element = 1}}); // clipping makes it finite
  clipping.train(0);
  CHECK(clipping.parameters().view()[0] == 0.5f);
}

TEST_CASE("a learner that was given no parameters does not train", "[learner]") {
  const auto problem = std::make_shared<test::ToyProblem>(20);
  HostLearner learner{problem, std::make_unique<test::ToyModel>(), make_optimizer(SgdOptions{}, 1),
                      BatchOrder{{.examples = 20, .batch_size = 10}}};
  learner.read(0);
  CHECK_THROWS_WITH(learner.train(0), Catch::Contains("model 'toy' has no parameters yet"));
  // cure: ' has no parameters yet; call initialize(key) or set_parameters() before it trains
  learner.initialize(RandomKey{1});
  CHECK_NOTHROW(learner.train(0));
}
