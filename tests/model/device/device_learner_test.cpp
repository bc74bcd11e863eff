#include "model/device/device_learner.hpp"
#include "model/optimizers/make_optimizer.hpp"
#include "model/training/host_learner.hpp"
#include "model/zoo/network.hpp"
#include "tests/support/host_card.hpp"
#include "tests/support/random_problem.hpp"

#include <catch2/catch.hpp>

using namespace troupe;
using namespace troupe::test;
using Catch::Contains;

namespace {

DataSpec labelled_rows() {
  return {{{"x", ElementType::float32, {any_size, 9}, 0}},
          {{"y", ElementType::class_index, {any_size}, 4}}};
}

/// 70 rows in batches of 16: five batches an epoch, the last of 6.
constexpr BatchOrderOptions ragged{.examples = 70, .batch_size = 16, .key = {21}};
constexpr std::uint64_t everything_stays = std::uint64_t{1} << 30;

std::unique_ptr<Model> small_mlp() {
  return std::make_unique<Network>(labelled_rows(), NetworkOptions{.hidden = {8, 6}});
}

std::unique_ptr<DeviceRun> host_card(const DevicePlan& plan) {
  return std::make_unique<HostCard>(plan);
}

std::unique_ptr<Optimizer> optimizer_called(const std::string& name, Index size) {
  if (name == "sgd")
    return make_optimizer(SgdOptions{.learning_rate = 0.05, .weight_decay = 0.01}, size);
  if (name == "nesterov")
    return make_optimizer(SgdOptions{.learning_rate = 0.05, .momentum = 0.9, .nesterov = true},
                          size);
  if (name == "adamw")
    return make_optimizer(AdamWOptions{}, size);
  if (name == "adam")
    return make_optimizer(AdamOptions{}, size);
  return make_optimizer(SgdOptions{.learning_rate = 0.05, .momentum = 0.9}, size);
}

std::unique_ptr<DeviceLearner> card_learner(const std::string& optimizer = "momentum",
                                            LearnerOptions options = {},
                                            std::uint64_t resident = everything_stays) {
  auto model = small_mlp();
  auto steps = optimizer_called(optimizer, model->layout().size());
  auto learner = std::make_unique<DeviceLearner>(
    std::make_shared<RandomProblem>(labelled_rows()), std::move(model), std::move(steps),
    BatchOrder{ragged}, std::move(options), DeviceLearnerOptions{.resident_bytes = resident},
    host_card);
  learner->initialize({5});
  return learner;
}

std::unique_ptr<HostLearner> host_learner(const std::string& optimizer = "momentum",
                                          LearnerOptions options = {}) {
  auto model = small_mlp();
  auto steps = optimizer_called(optimizer, model->layout().size());
  auto learner = std::make_unique<HostLearner>(std::make_shared<RandomProblem>(labelled_rows()),
                                               std::move(model), std::move(steps),
                                               BatchOrder{ragged}, std::move(options));
  learner->initialize({5});
  return learner;
}

/// Trains from one cursor to another. @returns the loss of each batch
std::vector<double> losses_of(Learner& learner, Step begin, Step end) {
  std::vector<double> losses;
  const auto take = [&] {
    for (const auto& result : learner.late_results())
      losses.push_back(result.loss);
  };
  for (auto cursor = begin; cursor < end; ++cursor) {
    learner.read(cursor);
    const auto result = learner.train(cursor);
    if (result.state == StepState::done)
      losses.push_back(result.loss);
    take();
  }
  learner.settle();
  take();
  return losses;
}

double difference_of_blocks(const Block& a, const Block& b) {
  double worst = 0;
  for (Index i = 0; i < a.size(); ++i)
    worst = std::max(worst, std::abs(double(a.view()[i]) - double(b.view()[i])));
  return worst;
}

} // namespace

TEST_CASE("a card trains as the host does, with each optimizer", "[device]") {
  const auto optimizer = GENERATE("sgd", "momentum", "nesterov", "adam", "adamw");
  CAPTURE(optimizer);
  const auto card = card_learner(optimizer);
  const auto host = host_learner(optimizer);
  const auto seen = losses_of(*card, 0, 23), expected = losses_of(*host, 0, 23);
  REQUIRE(seen.size() == expected.size());
  for (std::size_t i = 0; i < seen.size(); ++i)
    CHECK(seen[i] == Approx(expected[i]).epsilon(1e-4));
  CHECK(difference_of_blocks(card->parameters(), host->parameters()) < 1e-4);
  REQUIRE(card->slots().size() == host->slots().size());
  for (std::size_t i = 0; i < card->slots().size(); ++i)
    CHECK(difference_of_blocks(card->slots()[i].values, host->slots()[i].values) < 1e-4);
  CHECK(card->optimizer_steps() == 23);
}

TEST_CASE("a card clips gradients as the host does", "[device]") {
  LearnerOptions options;
  options.clipping = GENERATE(ClippingOptions{.element = 0.01}, ClippingOptions{.norm = 0.1},
                              ClippingOptions{.parameter_norm = 0.05});
  const auto card = card_learner("momentum", options);
  const auto host = host_learner("momentum", options);
  losses_of(*card, 0, 7);
  losses_of(*host, 0, 7);
  CHECK(difference_of_blocks(card->parameters(), host->parameters()) < 1e-5);
  const auto seen = card->gradient(), expected = host->gradient();
  for (std::size_t i = 0; i < seen.size(); ++i)
    CHECK(seen[i] == Approx(expected[i]).margin(1e-5));
}

TEST_CASE("a run resumed on a card continues with the same bits", "[device]") {
  const auto optimizer = GENERATE("momentum", "adam");
  const auto all = card_learner(optimizer);
  const auto first = card_learner(optimizer);
  const auto second = card_learner(optimizer);
  losses_of(*all, 0, 19);
  losses_of(*first, 0, 8);
  second->set_parameters(first->parameters());
  second->restore_optimizer(first->optimizer_steps(), first->slots());
  losses_of(*second, 8, 19);
  CHECK(second->parameters() == all->parameters());
}

TEST_CASE("batches that do not stay on a card give the same bits", "[device]") {
  const auto resident = card_learner(), streamed = card_learner("momentum", {}, 0);
  CHECK_FALSE(resident->reads_batches());
  CHECK(streamed->reads_batches());
  CHECK(losses_of(*resident, 0, 13) == losses_of(*streamed, 0, 13));
  CHECK(resident->parameters() == streamed->parameters());
}

TEST_CASE("a gradient that is taken before the update changes no bit", "[device]") {
  const auto taken = card_learner(), plain = card_learner();
  for (Step cursor = 0; cursor < 9; ++cursor) {
    taken->read(cursor);
    taken->compute_gradient(cursor, true);
    const std::vector<float> gradient{taken->gradient().begin(), taken->gradient().end()};
    if (cursor % 2 == 1)
      taken->set_gradient(gradient);
    taken->update(cursor);
  }
  losses_of(*plain, 0, 9);
  taken->settle();
  CHECK(taken->parameters() == plain->parameters());
}

TEST_CASE("settings of the optimizer apply from the next step on", "[device]") {
  const auto card = card_learner();
  const auto host = host_learner();
  for (Learner* learner : {static_cast<Learner*>(card.get()), static_cast<Learner*>(host.get())}) {
    losses_of(*learner, 0, 3);
    for (Step cursor = 3; cursor < 12; ++cursor) {
      learner->optimizer().set_learning_rate(0.1 / static_cast<double>(cursor));
      losses_of(*learner, cursor, cursor + 1);
    }
  }
  CHECK(difference_of_blocks(card->parameters(), host->parameters()) < 1e-4);
}

TEST_CASE("a bad batch on a card drops the steps after it and is named", "[device]") {
  auto card = card_learner();
  losses_of(*card, 0, 5);
  auto broken = card->parameters();
  broken.edit()[0] = NAN;
  card->set_parameters(broken);
  for (Step cursor = 5; cursor < 9; ++cursor) {
    card->read(cursor);
    card->train(cursor);
  }
  CHECK_THROWS_WITH(card->settle(), Contains("batch 6 (epoch 2") && Contains("not finite"));
  std::size_t dropped = 0;
  for (const auto& result : card->late_results())
    dropped += result.state == StepState::dropped;
  CHECK(dropped == 4);
  CHECK(card->parameters() == broken);
}

TEST_CASE("with nan: skip a bad batch on a card changes nothing and is counted", "[device]") {
  LearnerOptions options;
  options.nan = NanPolicy::skip;
  auto card = card_learner("adam", options);
  auto broken = card->parameters();
  broken.edit()[0] = INFINITY;
  card->set_parameters(broken);
  card->read(0);
  card->train(0);
  card->settle();
  const auto results = card->late_results();
  REQUIRE(results.size() == 1);
  CHECK(results[0].skipped);
  CHECK(card->optimizer_steps() == 0);
  CHECK(card->parameters() == broken);
}

TEST_CASE("what a card cannot train is refused before it is touched", "[device]") {
  const RandomProblem problem{labelled_rows()};
  const auto plan_with = [&](const LearnerOptions& options) {
    const auto model = small_mlp();
    return device_plan(problem, *model, *optimizer_called("sgd", model->layout().size()),
                       BatchOrder{ragged}, options, {.resident_bytes = everything_stays});
  };
  const auto plan = plan_with({});
  CHECK(plan.resident == 70);
  CHECK(plan.ranges.size() == 1);
  LearnerOptions scaled;
  scaled.scales = {{.match = "*.bias", .learning_rate = 2}};
  CHECK(plan_with(scaled).ranges.size() == 6);
}
