#include "extensions/monitoring/training_monitoring.hpp"
#include "extensions/support/saved_state.hpp"
#include "tests/support/extension_stage.hpp"

#include <cmath>

using namespace troupe;
using namespace troupe::test;
using Catch::Contains;

namespace {

/// Batches of 10, 10 and 5 examples, whose losses are 57, 437 and 972 in every epoch.
StageOptions ragged(Epoch epochs) {
  return {.toy = {.examples = 25, .learning_rate = 0}, .step_duration = 0, .epochs = epochs};
}

Extension aggregating(Stage& stage, LossAggregation aggregation,
                      const MonitoredQuantities& quantities = {}) {
  return stage.world.keep(spawn_training_monitoring(
    stage.world.system, {.aggregation = aggregation}, stage.logger, quantities));
}

/// The loss in the row of the first epoch's end.
std::string aggregated(LossAggregation aggregation) {
  Stage stage{ragged(1)};
  stage.gate("monitoring", with_every_batch(training_monitoring_conditions()),
             aggregating(stage, aggregation));
  stage.run();
  CHECK(stage.row(1).empty()); // firings after batches are silent
  CHECK(stage.row(2).empty());
  return text_in(stage.row(3), "training_loss");
}

/// Counts the batches with a loss above a limit.
class AboveLimit : public MonitoredQuantity {
public:
  std::string name() const override { return "above"; }
  void initialize() override { count_ = 0; }
  void aggregate(const LoopEvent& batch) override { count_ += batch.loss > 100; }
  Value value() const override { return Value{count_}; }
  SavedFields state() const override { return {{"count", Value{count_}}}; }
  void restore(const SavedFields& state) override { take(state, "count", count_); }

private:
  std::int64_t count_ = 0;
};

LoopEvent look_at(double loss, Step batches) {
  LoopEvent event;
  event.callback = Callback::after_batch;
  event.arguments = with_every_batch({}).all().front().arguments;
  event.loss = loss;
  event.totals.batches = event.position.batches = batches;
  return event;
}

LoopEvent commit_at(Step batches) {
  LoopEvent event;
  event.callback = Callback::after_epoch;
  event.totals.batches = event.position.batches = batches;
  return event;
}

} // namespace

TEST_CASE("an extension that sees every batch and coalesces still commits",
          "[training_monitoring][B23][B36]") {
  Stage stage{ragged(1)};
  auto commits = training_monitoring_conditions();
  commits.set_trigger("every_n_batches", 2).set_trigger("after_batch", true).coalesce();
  stage.gate("monitoring", with_every_batch(commits), aggregating(stage, LossAggregation::minimum));
  stage.run();
  CHECK(text_in(stage.row(1), "training_loss") == "57");
  CHECK(text_in(stage.row(2), "training_loss") == "437");
}

TEST_CASE("two quantities of one name are refused", "[training_monitoring][B37]") {
  Stage stage{ragged(1)};
  const auto above = std::make_shared<AboveLimit>();
  CHECK_THROWS_WITH(aggregating(stage, LossAggregation::mean, {above, above}),
                    Catch::Contains("two quantities called 'above'"));
  // cure: '; give each its own name
  CHECK_NOTHROW(aggregating(stage, LossAggregation::mean, {above}));
}

TEST_CASE("each aggregation of an epoch's losses has its own value",
          "[training_monitoring][B36][B37]") {
  CHECK(aggregated(LossAggregation::weighted) == "392");
  CHECK(aggregated(LossAggregation::mean) == shortest((57 + 437 + 972) / 3.0));
  CHECK(aggregated(LossAggregation::last) == "972");
  CHECK(aggregated(LossAggregation::minimum) == "57");
  CHECK(aggregated(LossAggregation::maximum) == "972");
  CHECK(aggregated(LossAggregation::concatenate) == "57 437 972");
}

TEST_CASE("the last loss does not need every batch", "[training_monitoring][B37]") {
  Stage stage{ragged(2)};
  stage.observe("monitoring", training_monitoring_conditions(),
                aggregating(stage, LossAggregation::last));
  stage.run();
  CHECK(number_in(stage.row(3), "training_loss") == 972);
  CHECK(number_in(stage.row(6), "training_loss") == 972);
}

TEST_CASE("each row starts a new aggregate", "[training_monitoring][B36]") {
  auto conditions = trigger("before_training");
  conditions.set_trigger("every_n_batches", Value{std::int64_t{2}});
  conditions.set_trigger("after_epoch", true);
  const auto rows = [&](LossAggregation aggregation) {
    Stage stage{ragged(1)};
    stage.gate("monitoring", with_every_batch(conditions), aggregating(stage, aggregation));
    stage.run();
    return text_in(stage.row(2), "training_loss") + ", " + text_in(stage.row(3), "training_loss");
  };
  CHECK(rows(LossAggregation::minimum) == "57, 972");
  CHECK(rows(LossAggregation::concatenate) == "57 437, 972");
}

TEST_CASE("a custom quantity is written next to the loss", "[training_monitoring][B37]") {
  Stage stage{ragged(2)};
  stage.gate("monitoring", with_every_batch(training_monitoring_conditions()),
             aggregating(stage, LossAggregation::weighted, {std::make_shared<AboveLimit>()}));
  stage.run();
  CHECK(number_in(stage.row(6), "training_above") == 2);
  CHECK(number_in(stage.row(6), "training_loss") == 392);
}

TEST_CASE("two quantities with the same name are refused", "[training_monitoring]") {
  CHECK_THROWS_WITH(
    (TrainingAggregates{{}, {std::make_shared<AboveLimit>(), std::make_shared<AboveLimit>()}}),
    Contains("'above'"));
  CHECK_THROWS_WITH((TrainingAggregates{{}, {loss_quantity(LossAggregation::minimum)}}),
                    Contains("'loss'"));
}

TEST_CASE("the smallest and the largest loss ignore NaN", "[training_monitoring][B37]") {
  for (const auto aggregation : {LossAggregation::minimum, LossAggregation::maximum}) {
    TrainingAggregates aggregates{{.aggregation = aggregation}};
    aggregates.records(look_at(std::nan(""), 1));
    CHECK(std::isnan(number_in(aggregates.records(commit_at(1)), "training_loss")));
    aggregates.records(look_at(std::nan(""), 2));
    aggregates.records(look_at(3, 3));
    aggregates.records(look_at(std::nan(""), 4));
    CHECK(number_in(aggregates.records(commit_at(4)), "training_loss") == 3);
  }
}

TEST_CASE("aggregates saved in the middle of a row continue in it",
          "[training_monitoring][B36][B45]") {
  for (const auto aggregation :
       {LossAggregation::weighted, LossAggregation::mean, LossAggregation::last,
        LossAggregation::minimum, LossAggregation::maximum, LossAggregation::concatenate}) {
    INFO(to_string(aggregation));
    const auto run = [&](Step to, SavedTrainer* trainer, SavedFields* state) {
      Stage stage{{.step_duration = 0}};
      const auto extension = aggregating(stage, aggregation, {std::make_shared<AboveLimit>()});
      if (trainer->cursor > 0) {
        REQUIRE(stage.world.ask<Restored>(stage.trainer, Restore{*trainer}));
        REQUIRE(stage.world.ask<Restored>(extension, RestoreExtension{*state}));
      }
      stage.gate("monitoring", with_every_batch(training_monitoring_conditions()), extension);
      stage.finish_after(to);
      stage.run();
      *trainer = *stage.world.ask<SavedTrainer>(stage.trainer, Save{});
      *state = stage.world.ask<SavedExtension>(extension, SaveExtension{})->state;
      return stage.row(6);
    };
    SavedTrainer whole, parts;
    SavedFields whole_state, parts_state;
    const auto expected = run(8, &whole, &whole_state);
    run(5, &parts, &parts_state);
    const auto row = run(8, &parts, &parts_state);
    CHECK(row == expected);
    CHECK(row.size() == 3);
    CHECK(parts_state == whole_state);
  }
}

TEST_CASE("aggregations are read by name", "[training_monitoring]") {
  LossAggregation aggregation{};
  for (const auto* name : {"weighted", "mean", "last", "minimum", "maximum", "concatenate"}) {
    REQUIRE(from_text(name, aggregation));
    CHECK(to_string(aggregation) == name);
  }
  for (const auto* name : {"", "min", "Mean", "unknown aggregation"})
    CHECK_FALSE(from_text(name, aggregation));
}
