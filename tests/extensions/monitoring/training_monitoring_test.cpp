#include "extensions/monitoring/training_monitoring.hpp"
#include "tests/support/extension_stage.hpp"

using namespace troupe;
using namespace troupe::test;

namespace {

constexpr float learning_rate = 1e-4f;

/// The losses of the first batches by hand: with m the mean of x^2 over a batch, the loss before
/// the step is (w - 2)^2 m / 2, and the step is w <- w - learning_rate (w - 2) m. The batches are
/// 0..9, 10..19, 20..29, and again.
std::vector<double> losses_by_hand(int batches) {
  constexpr double m[] = {28.5, 218.5, 608.5};
  std::vector<double> losses;
  double w = 0;
  for (int i = 0; i < batches; ++i) {
    losses.push_back((w - 2) * (w - 2) * m[i % 3] / 2);
    w -= learning_rate * (w - 2) * m[i % 3];
  }
  return losses;
}

Extension monitoring(Stage& stage, TrainingMonitoringOptions options = {}) {
  return stage.world.keep(spawn_training_monitoring(stage.world.system, options, stage.logger));
}

Conditions every_batch() { return trigger("every_n_batches", Value{std::int64_t{1}}); }

} // namespace

TEST_CASE("the loss in row k + 1 is the loss before step k + 1", "[training_monitoring][B36]") {
  Stage stage;
  stage.observe("monitoring", every_batch(), monitoring(stage));
  stage.finish_after(6);
  stage.run();
  const auto losses = losses_by_hand(6);
  for (Step row = 1; row <= 6; ++row)
    CHECK(number_in(stage.row(row), "training_loss") == Approx(losses[row - 1]).epsilon(1e-5));
  CHECK(stage.row(0).empty());
}

TEST_CASE("each commit starts a new mean", "[training_monitoring][B36]") {
  Stage stage{{.epochs = 2}};
  stage.observe("monitoring", training_monitoring_conditions(), monitoring(stage));
  stage.run();
  const auto l = losses_by_hand(6);
  CHECK(number_in(stage.row(3), "training_loss") == Approx((l[0] + l[1] + l[2]) / 3).epsilon(1e-5));
  CHECK(number_in(stage.row(6), "training_loss") == Approx((l[3] + l[4] + l[5]) / 3).epsilon(1e-5));
}

TEST_CASE("a smaller last batch is weighted by its examples", "[training_monitoring][B37]") {
  Stage stage{{.toy = {.examples = 25, .learning_rate = 0}, .epochs = 1}};
  stage.observe("weighted", training_monitoring_conditions(), monitoring(stage));
  stage.observe("plain", training_monitoring_conditions(),
                monitoring(stage, {.prefix = "plain", .aggregation = LossAggregation::mean}));
  stage.run();
  // Batches of 10, 10 and 5 examples with losses 57, 437 and 972.
  CHECK(number_in(stage.row(3), "training_loss") == Approx(392));
  CHECK(number_in(stage.row(3), "plain_loss") == Approx((57 + 437 + 972) / 3.0));
}

TEST_CASE("names have the prefix and the suffix", "[training_monitoring][B36]") {
  Stage stage;
  stage.observe("a", every_batch(), monitoring(stage, {.prefix = "raw", .suffix = "mean"}));
  stage.observe("b", every_batch(), monitoring(stage, {.prefix = "", .suffix = ""}));
  stage.finish_after(1);
  stage.run();
  const auto row = stage.row(1);
  CHECK(row.count("raw_loss_mean") == 1);
  CHECK(row.count("loss") == 1);
}

TEST_CASE("the learning rate is written with the loss", "[training_monitoring]") {
  Stage stage;
  stage.observe("monitoring", every_batch(), monitoring(stage));
  stage.finish_after(1);
  stage.run();
  CHECK(number_in(stage.row(1), "learning_rate") == Approx(learning_rate));
}

TEST_CASE("without a batch nothing is written", "[training_monitoring][B36]") {
  TrainingAggregates means;
  LoopEvent event;
  event.callback = Callback::after_epoch;
  CHECK(means.records(event).empty());
  event.totals.loss.add(20);
  event.totals.weight = 10;
  CHECK(number_in(means.records(event), "training_loss") == 2);
  CHECK(means.records(event).empty());
}

TEST_CASE("a huge loss affects its own mean and no later one", "[training_monitoring][B36]") {
  const auto aggregation = GENERATE(LossAggregation::weighted, LossAggregation::mean);
  TrainingAggregates means{{.aggregation = aggregation}};
  LoopEvent event;
  event.callback = Callback::after_epoch;
  const auto epoch_of = [&](double loss) {
    ++event.totals.batches;
    event.totals.weight += 10;
    event.totals.loss.add(10 * loss);
    event.totals.batch_loss.add(loss);
    return number_in(means.records(event), "training_loss");
  };
  CHECK(epoch_of(0.5) == 0.5);
  CHECK(epoch_of(2e32) == Approx(2e32));
  CHECK(epoch_of(0.25) == 0.25);
  const auto saved = means.state();
  means = TrainingAggregates{{.aggregation = aggregation}};
  means.restore(saved);
  CHECK(epoch_of(0.75) == 0.75);
}

TEST_CASE("an epoch that a pause divides has one mean", "[training_monitoring][B36]") {
  Stage stage;
  stage.observe("monitoring", training_monitoring_conditions(), monitoring(stage));
  stage.finish_after(4);
  stage.run();
  stage.finish_after(7);
  stage.run();
  const auto l = losses_by_hand(6);
  CHECK(number_in(stage.row(6), "training_loss") == Approx((l[3] + l[4] + l[5]) / 3).epsilon(1e-5));
}

TEST_CASE("after a restart the first mean covers the batches since then",
          "[training_monitoring][B36]") {
  Stage stage;
  stage.finish_after(4);
  stage.run();
  const auto saved = stage.world.ask<SavedTrainer>(stage.trainer, Save{});
  REQUIRE(saved);
  stage.trainer = stage.new_trainer();
  REQUIRE(stage.world.ask<Restored>(stage.trainer, Restore{*saved}));
  stage.observe("monitoring", training_monitoring_conditions(), monitoring(stage));
  stage.finish_after(7);
  stage.run();
  const auto l = losses_by_hand(6);
  CHECK(number_in(stage.row(6), "training_loss") == Approx((l[4] + l[5]) / 2).epsilon(1e-5));
}

TEST_CASE("a return to an older state does not disturb the mean", "[training_monitoring][B36]") {
  Stage stage;
  stage.observe("monitoring", training_monitoring_conditions(), monitoring(stage));
  const auto beginning = stage.world.ask<SavedTrainer>(stage.trainer, Save{});
  REQUIRE(beginning);
  stage.finish_after(7); // so that six batches are committed
  stage.run();
  REQUIRE(stage.world.ask<Restored>(stage.trainer, Restore{*beginning}));
  const auto finish = stage.world.keep(spawn_finish_after(stage.world.system, "enough"));
  stage.gate("finish", trigger("every_n_epochs", Value{std::int64_t{1}}), finish);
  stage.run();
  const auto l = losses_by_hand(3);
  CHECK(number_in(stage.row(3), "training_loss") == Approx((l[0] + l[1] + l[2]) / 3).epsilon(1e-5));
}
