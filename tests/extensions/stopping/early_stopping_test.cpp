#include "extensions/monitoring/stream_monitoring.hpp"
#include "extensions/stopping/early_stopping.hpp"
#include "tests/support/extension_doubles.hpp"
#include "tests/support/record_script.hpp"

#include <random>

using namespace troupe;
using namespace troupe::test;

namespace {

Extension stop_early(Stage& stage, const EarlyStoppingOptions& options) {
  const auto extension
    = stage.world.keep(spawn_early_stopping(stage.world.system, options, stage.logger));
  stage.gate("early stopping", early_stopping_conditions(), extension);
  return extension;
}

/// The records of early stopping in the rows of the epochs.
std::vector<Records> epoch_rows(Stage& stage, Epoch epochs) {
  std::vector<Records> rows;
  for (Epoch epoch = 1; epoch <= epochs; ++epoch)
    rows.push_back(stage.row(last_batch_of(epoch)));
  return rows;
}

} // namespace

TEST_CASE("early stopping decides after each epoch", "[early_stopping][B41]") {
  CHECK(triggers_of(early_stopping_conditions()) == std::vector<std::string>{"after_epoch"});
}

TEST_CASE("early stopping marks the best rows, and ends training when its patience is over",
          "[early_stopping][B41]") {
  Stage stage{{.epochs = 12}};
  script(stage, {9, 8, 7, 8, 7, 6, 7, 7, 7});
  stop_early(stage, {.epochs = 3});
  const auto finished = stage.run();
  CHECK(finished.position.epochs == 9);
  CHECK(finished.causes
        == std::vector<std::string>{"no validation_loss_best_so_far for 3 epochs, the last one was "
                                    "after batch 18, epoch 6, where validation_loss was 6"});
  const std::vector<bool> best{true, true, true, false, false, true, false, false, false};
  const std::vector<double> left{3, 3, 3, 2, 1, 3, 2, 1, 0};
  for (Epoch epoch = 1; epoch <= 9; ++epoch) {
    const auto row = stage.row(last_batch_of(epoch));
    CHECK((row.count("validation_loss_best_so_far") == 1) == best[epoch - 1]);
    CHECK(number_in(row, "validation_loss_best_so_far_patience_epochs") == left[epoch - 1]);
  }
}

TEST_CASE("a gate with a condition on the notification sees each best model by default",
          "[early_stopping][B41]") {
  Stage stage{{.epochs = 12}};
  script(stage, {9, 8, 7, 8, 7, 6, 7, 7, 7});
  const EarlyStoppingOptions options{.epochs = 3};
  stop_early(stage, options);
  auto trace = new_trace();
  stage.gate("save the best",
             Conditions{}.add_condition({"after_epoch"}, on_record(notification_of(options))),
             recording_gate(stage.world, trace));
  stage.run();
  CHECK(*trace
        == std::vector<std::string>{"after_epoch 3", "after_epoch 6", "after_epoch 9",
                                    "after_epoch 18"});
}

TEST_CASE("early stopping of a rising record lets training continue while it rises",
          "[early_stopping]") {
  const auto record = GENERATE("validation_r2", "validation_accuracy", "validation_auc");
  Stage stage{{.epochs = 12}};
  script(stage, {0.431, 0.496, 0.533, 0.6, 0.5, 0.4, 0.3}, record);
  stop_early(stage, {.record = record, .epochs = 2});
  const auto finished = stage.run();
  CHECK(finished.position.epochs == 6);
  CHECK_THAT(finished.causes.at(0), Catch::EndsWith(std::string{record} + " was 0.6"));
}

TEST_CASE("early stopping by a record of unknown direction is refused", "[early_stopping]") {
  CHECK_THROWS_WITH(EarlyStopping({.record = "validation_score", .epochs = 2}),
                    Catch::Contains("choose: min or choose: max"));
  CHECK_NOTHROW(EarlyStopping({.record = "score", .choose = Choose::max, .epochs = 2}));
}

TEST_CASE("early stopping writes the records of its two parts", "[early_stopping][B41]") {
  std::mt19937 random{11};
  for (int round = 0; round < 100; ++round) {
    const Epoch epochs = 1 + random() % 5;
    const auto choose = random() % 2 == 0 ? Choose::min : Choose::max;
    EarlyStopping both{{.choose = choose, .epochs = epochs, .nan = OnNan::ignore}};
    TrackTheBest track{{.choose = choose, .nan = OnNan::ignore}};
    FinishIfNoImprovement finish{{.epochs = epochs}};
    for (Epoch epoch = 1; epoch < 20; ++epoch) {
      LoopEvent event;
      event.position.epochs = epoch;
      Records row;
      if (const auto loss = random() % 12; loss < 10)
        row["validation_loss"] = Value{static_cast<double>(loss)};
      else if (loss == 10)
        row["validation_loss"] = Value{not_a_number};
      const auto decision = both.decide(event, row);
      const auto tracked = track.decide(event, row);
      row.insert(tracked.answer.records.begin(), tracked.answer.records.end());
      const auto finished = finish.decide(event, row);
      auto records = tracked.answer.records;
      records.insert(finished.answer.records.begin(), finished.answer.records.end());
      CHECK(decision.answer.records == records);
      CHECK(decision.status == tracked.status);
      CHECK(decision.answer.finish == finished.answer.finish);
    }
  }
}

TEST_CASE("early stopping ends training at a NaN before its patience is over",
          "[early_stopping][B41]") {
  Stage stage{{.epochs = 12}};
  script(stage, {9, not_a_number, 8});
  stop_early(stage, {.epochs = 1});
  CHECK(stage.run().causes
        == std::vector<std::string>{
          "validation_loss is not a number after batch 6, epoch 2; the best one was 9"});
}

TEST_CASE("late metrics end training after the right epoch", "[early_stopping][B41]") {
  Stage stage{{.epochs = 12}};
  const auto monitoring = stage.world.keep(
    spawn_stream_monitoring(stage.world.system, {}, slow_evaluator(stage.world, 10), stage.logger));
  stage.gate("monitoring", stream_monitoring_conditions(), monitoring, Shows::parameters);
  stop_early(stage, {.epochs = 2}); // the loss only rises
  CHECK(stage.run(1s).position.epochs == 3);
}

TEST_CASE("early stopping continues after a restart as without one", "[early_stopping][B41]") {
  const std::vector<double> losses{9, 8, 7, 8, 7, 6, 7, 7, 7};
  Stage whole{{.epochs = 12}};
  script(whole, losses);
  stop_early(whole, {.epochs = 3});
  whole.run();
  for (Epoch cut = 1; cut < 9; ++cut) {
    Stage stage{{.epochs = 12}};
    script(stage, losses);
    const auto first = stop_early(stage, {.epochs = 3});
    stage.finish_after(last_batch_of(cut));
    stage.run();
    const auto finished = resume_in_a_new_trainer(stage, first, [&] {
      script(stage, losses);
      return stop_early(stage, {.epochs = 3});
    });
    CHECK(finished.position.epochs == 9);
    auto rows = epoch_rows(stage, 9);
    rows[cut - 1].erase("training_finish_requested"); // from the end of the first half
    CHECK(rows == epoch_rows(whole, 9));
  }
}

TEST_CASE("the notification's name is known before training starts", "[early_stopping][B41]") {
  CHECK(notification_of(EarlyStoppingOptions{}) == "validation_loss_best_so_far");
  CHECK(notification_of(EarlyStoppingOptions{.record = "training_loss"})
        == "training_loss_best_so_far");
  CHECK(notification_of(EarlyStoppingOptions{.notification = "best"}) == "best");
}

TEST_CASE("invalid options of early_stopping are refused", "[early_stopping][B41]") {
  Stage stage;
  const auto spawn = [&](const EarlyStoppingOptions& options) {
    return spawn_early_stopping(stage.world.system, options, stage.logger);
  };
  CHECK_THROWS_WITH(spawn({}), Catch::Contains("the patience is missing"));
  CHECK_THROWS_WITH(spawn({.epochs = 1, .batches = 2}),
                    Catch::Contains("either epochs or batches"));
  CHECK_THROWS_WITH(spawn({.record = "", .epochs = 1}), Catch::Contains("record:"));
}
