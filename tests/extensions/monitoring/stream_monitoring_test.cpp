#include "actors/evaluation/evaluator.hpp"
#include "extensions/monitoring/stream_monitoring.hpp"
#include "tests/support/extension_doubles.hpp"
#include "tests/support/extension_stage.hpp"

#include <algorithm>
#include <cmath>

using namespace troupe;
using namespace troupe::test;

namespace {

/// Validation rows are 0, 1, 2, 3: the mean of x^2 is 3.5, and with the parameter w the loss is (w
/// - 2)^2 3.5 / 2.
double validation_loss(double w) { return (w - 2) * (w - 2) * 3.5 / 2; }

Evaluator real_evaluator(Stage& stage, Index batch_size = 256) {
  return stage.world.keep(spawn_evaluator(
    stage.world.system, stage.problem, std::make_shared<ToyModel>(), {.batch_size = batch_size}));
}

StreamMonitoringOptions options_for(bool gate) {
  StreamMonitoringOptions options;
  options.gate = gate;
  return options;
}

Extension monitor(Stage& stage, const Evaluator& evaluator, StreamMonitoringOptions options = {},
                  const Conditions& conditions = stream_monitoring_conditions()) {
  const auto name = "monitor of " + options.section + options.prefix;
  const auto extension = stage.world.keep(
    spawn_stream_monitoring(stage.world.system, std::move(options), evaluator, stage.logger));
  stage.gate(name, conditions, extension, Shows::parameters);
  return extension;
}

std::vector<std::string> warnings(const Stage& stage) { return stage.heard->texts(Level::warning); }

} // namespace

TEST_CASE("a section is evaluated before the first epoch and after each epoch",
          "[stream_monitoring][B35]") {
  CHECK(triggers_of(stream_monitoring_conditions())
        == std::vector<std::string>{"before_first_epoch", "after_epoch"});
}

TEST_CASE("a finished validation leaves no timer", "[stream_monitoring]") {
  for (const auto gate : {true, false}) {
    const auto timers_after = [gate](Epoch epochs) {
      Stage stage{{.epochs = epochs}};
      monitor(stage, real_evaluator(stage), options_for(gate));
      stage.run();
      CHECK(number_in(stage.row(3 * epochs), "validation_version") == 3 * epochs);
      return stage.world.timers();
    };
    CHECK(timers_after(9) == timers_after(1));
  }
}

TEST_CASE("the row has the mean over the section, and the version of the parameters",
          "[stream_monitoring][B35]") {
  Stage stage{{.epochs = 1}};
  monitor(stage, real_evaluator(stage));
  const auto w = stage.run().parameters.values.view()[0];
  CHECK(names_of(stage.row(0))
        == std::vector<std::string>{"validation_loss", "validation_version"});
  CHECK(number_in(stage.row(0), "validation_loss") == Approx(7));
  CHECK(number_in(stage.row(3), "validation_loss") == Approx(validation_loss(w)));
  CHECK(number_in(stage.row(3), "validation_version") == 3);
  CHECK(stage.row(1).empty());
}

TEST_CASE("the mean does not depend on the batches of the evaluator", "[stream_monitoring][B35]") {
  Stage stage{{.epochs = 1}};
  monitor(stage, real_evaluator(stage, 3));
  stage.run();
  CHECK(number_in(stage.row(0), "validation_loss") == Approx(7));
}

TEST_CASE("an evaluation reads each row once", "[stream_monitoring][B35]") {
  Stage stage{{.epochs = 1}};
  StreamMonitoringOptions options;
  options.section = "train";
  monitor(stage, real_evaluator(stage, 7), options);
  stage.run();
  const auto asked = stage.problem->asked(); // by training and by two evaluations
  CHECK(asked.size() == 90);
  for (Index row = 0; row < 30; ++row)
    CHECK(std::count(asked.begin(), asked.end(), row) == 3);
}

TEST_CASE("a part of a section is its first batches", "[stream_monitoring][B35]") {
  Stage stage{{.epochs = 1}};
  StreamMonitoringOptions options;
  options.batches = 1;
  monitor(stage, real_evaluator(stage, 2), options); // rows 0 and 1: the mean of x^2 is 0.5
  stage.run();
  CHECK(number_in(stage.row(0), "validation_loss") == Approx(1));
}

TEST_CASE("with `spread` a row has the spread over the section's batches",
          "[stream_monitoring][M31]") {
  Stage stage{{.epochs = 1}};
  StreamMonitoringOptions options;
  options.spread = true;
  options.suffix = "raw";
  monitor(stage, real_evaluator(stage, 2), options); // losses 1 of rows 0 and 1, 13 of 2 and 3
  stage.run();
  CHECK(number_in(stage.row(0), "validation_loss_raw") == Approx(7));
  CHECK(number_in(stage.row(0), "validation_loss_min_raw") == Approx(1));
  CHECK(number_in(stage.row(0), "validation_loss_max_raw") == Approx(13));
  CHECK(number_in(stage.row(0), "validation_loss_std_raw") == Approx(std::sqrt(72.0)));
  CHECK(number_in(stage.row(0), "validation_episodes_aggregated_raw") == 2);
}

TEST_CASE("names of metrics have the prefix and the suffix", "[stream_monitoring][B35]") {
  Stage stage{{.epochs = 1}};
  StreamMonitoringOptions options;
  options.prefix = "valid";
  options.suffix = "raw";
  monitor(stage, real_evaluator(stage), options);
  stage.run();
  CHECK(names_of(stage.row(0)) == std::vector<std::string>{"valid_loss_raw", "valid_version_raw"});
}

TEST_CASE("monitors of two sections write different names into one row",
          "[stream_monitoring][B35]") {
  Stage stage{{.epochs = 1}};
  for (const auto* section : {"train", "validation", "test"}) {
    StreamMonitoringOptions options;
    options.section = section;
    monitor(stage, real_evaluator(stage), options);
  }
  stage.run();
  CHECK(names_of(stage.row(3))
        == std::vector<std::string>{"test_loss", "test_version", "train_loss", "train_version",
                                    "validation_loss", "validation_version"});
}

TEST_CASE("training does not wait for a slow evaluator, whose row is completed later",
          "[stream_monitoring][B35]") {
  Stage stage{{.epochs = 2}};
  monitor(stage, slow_evaluator(stage.world, 10));
  const auto finished = stage.run(1s);
  CHECK(finished.position.seconds == Approx(6));
  CHECK(stage.row(0).empty());
  Pending<Row> row{stage.world, stage.logger, ReadRow{{0, 3}}};
  CHECK_FALSE(row.answered());
  stage.world.pass(13s, 1s);
  CHECK_FALSE(stage.row(0).empty());
  CHECK_FALSE(row.answered());
  stage.world.pass(1s, 1s);
  REQUIRE(row.answered());
  CHECK(number_in(row->records, "validation_loss")
        == 103); // of version 3, although version 6 exists
  CHECK(row->epoch == 1);
}

TEST_CASE("training waits for a validation once more than `ahead` are in flight",
          "[stream_monitoring][B35]") {
  Stage stage{{.epochs = 4}};
  StreamMonitoringOptions options;
  options.ahead = 2;
  monitor(stage, slow_evaluator(stage.world, 10), options);
  const auto finished = stage.run(1s);
  // begun at 0, 10, 20, 30; those of 6, 13 and 23 wait for one that is over
  CHECK(finished.position.seconds == Approx(30));
  stage.world.pass(20s, 1s);
  for (Step batch = 0; batch <= 12; batch += 3)
    CHECK(number_in(stage.row(batch), "validation_loss") == 100.0 + static_cast<double>(batch));
}

TEST_CASE("validations run one after the other, so that each has the whole deadline",
          "[stream_monitoring][B35]") {
  Stage stage{{.epochs = 4}};
  StreamMonitoringOptions options;
  options.deadline = 30;
  monitor(stage, slow_evaluator(stage.world, 10), options);
  stage.run(1s);
  stage.world.pass(50s, 1s);
  for (Step batch = 0; batch <= 12; batch += 3)
    CHECK(number_in(stage.row(batch), "validation_version") == static_cast<double>(batch));
  CHECK(warnings(stage).empty());
}

TEST_CASE("a validation that was queued for longer than its deadline is skipped",
          "[stream_monitoring][B35]") {
  Stage stage{{.epochs = 4}};
  StreamMonitoringOptions options;
  options.deadline = 15;
  monitor(stage, slow_evaluator(stage.world, 10), options);
  stage.run(1s);
  stage.world.pass(50s, 1s);
  for (const Step batch : {0, 3, 6}) // begun at 0, 10 and 20; that of 9 could at 30
    CHECK(number_in(stage.row(batch), "validation_version") == static_cast<double>(batch));
  REQUIRE(warnings(stage).size() == 2);
  CHECK(warnings(stage)[0]
        == "no metrics of section 'validation' at batch 9: the evaluator was busy with earlier "
           "ones");
  Pending<Row> row{stage.world, stage.logger, ReadRow{{0, 12}}};
  CHECK(row.answered());
}

TEST_CASE("as an observer it loses copies once more than `ahead` validations are in flight",
          "[stream_monitoring][B35]") {
  Stage stage{{.epochs = 4}};
  StreamMonitoringOptions options;
  options.ahead = 1;
  const auto extension = stage.world.keep(spawn_stream_monitoring(
    stage.world.system, options, slow_evaluator(stage.world, 100), stage.logger));
  const auto subscribed = stage.world.ask<Subscribed>(
    stage.trainer, Subscribe{"observer", stream_monitoring_conditions(),
                             caf::actor_cast<Observer>(extension), Shows::parameters, 2});
  CHECK(stage.run(1s).position.seconds == Approx(12));
  const auto ended
    = stage.world.ask<Unsubscribed>(stage.trainer, Unsubscribe{subscribed->id}); // at 0, 3, 6 sent
  CHECK(ended->lost == 2);
}

TEST_CASE("with `gate` training waits, and later gates see the metrics",
          "[stream_monitoring][B35]") {
  Stage stage{{.epochs = 2}};
  monitor(stage, slow_evaluator(stage.world, 10), options_for(true));
  auto trace = new_trace();
  stage.gate("on record", Conditions{}.add_condition({"after_epoch"}, on_record("validation_loss")),
             recording_gate(stage.world, trace));
  const auto finished = stage.run(1s);
  CHECK(finished.position.seconds == Approx(6 + 3 * 10));
  CHECK(number_in(stage.row(6), "validation_loss") == 106);
  CHECK(*trace == std::vector<std::string>{"after_epoch 3", "after_epoch 6"});
}

TEST_CASE("without metrics of a failed evaluator there is a warning", "[stream_monitoring][B35]") {
  const auto gate = GENERATE(false, true);
  Stage stage{{.epochs = 1}};
  monitor(stage, failing_evaluator(stage.world), options_for(gate));
  CHECK(stage.run().outcome == Outcome::finished);
  REQUIRE(warnings(stage).size() == 2);
  CHECK(warnings(stage)[0]
        == "no metrics of section 'validation' at batch 0: the evaluator answered: the section "
           "cannot be read");
  CHECK(stage.world.ask<Row>(stage.logger, ReadRow{{0, 3}}));
}

TEST_CASE("without metrics of an evaluator that ended there is a warning",
          "[stream_monitoring][B35]") {
  const auto gate = GENERATE(false, true);
  Stage stage{{.epochs = 1}};
  monitor(stage, dying_evaluator(stage.world), options_for(gate));
  CHECK(stage.run().position.seconds == Approx(3)); // without waiting for it
  REQUIRE(warnings(stage).size() == 2);
  CHECK_THAT(warnings(stage)[0], Catch::Contains("batch 0"));
  Pending<Row> row{stage.world, stage.logger, ReadRow{{0, 0}}};
  CHECK(row.answered());
}

TEST_CASE("without metrics of a late evaluator there is a warning", "[stream_monitoring][B35]") {
  Stage stage{{.epochs = 1}};
  auto options = options_for(true);
  options.deadline = 2;
  monitor(stage, slow_evaluator(stage.world, 10), options);
  CHECK(stage.run().position.seconds == Approx(3 + 2 * 2));
  REQUIRE(warnings(stage).size() == 2);
  CHECK_THAT(warnings(stage)[0], Catch::Contains("request timeout"));
}

TEST_CASE("without a deadline training waits for the evaluator", "[stream_monitoring][B35]") {
  Stage stage{{.epochs = 1}};
  auto options = options_for(true);
  options.deadline = std::numeric_limits<double>::infinity();
  monitor(stage, slow_evaluator(stage.world, 10), options);
  CHECK(stage.run().position.seconds == Approx(3 + 2 * 10));
  CHECK(warnings(stage).empty());
}

TEST_CASE("parameters of another size cause a warning", "[stream_monitoring][B35]") {
  Stage stage{{.epochs = 1}};
  const auto extension = stage.world.keep(
    spawn_stream_monitoring(stage.world.system, {}, real_evaluator(stage), stage.logger));
  stage.gate("without parameters", stream_monitoring_conditions(), extension, Shows::nothing);
  CHECK(stage.run().outcome == Outcome::finished);
  CHECK(warnings(stage).size() == 2);
}

TEST_CASE("a monitoring without an evaluator is refused", "[stream_monitoring][B35]") {
  Stage stage{{.epochs = 1}};
  CHECK_THROWS_WITH(spawn_stream_monitoring(stage.world.system, {}, {}, stage.logger),
                    Catch::Contains("was given no evaluator"));
  // cure: no evaluator (a null handle); spawn one and give it to stream_monitoring
  CHECK_NOTHROW(stage.world.keep(
    spawn_stream_monitoring(stage.world.system, {}, real_evaluator(stage), stage.logger)));
}

TEST_CASE("an observer evaluates the snapshots that it receives", "[stream_monitoring][B35]") {
  Stage stage{{.epochs = 1}};
  const auto extension = stage.world.keep(
    spawn_stream_monitoring(stage.world.system, {}, real_evaluator(stage), stage.logger));
  stage.observe("observer", stream_monitoring_conditions(), extension, Shows::parameters);
  stage.run();
  CHECK(number_in(stage.row(0), "validation_loss") == Approx(7));
}

TEST_CASE("Drain waits for evaluations in flight", "[stream_monitoring][B35]") {
  Stage stage{{.epochs = 1}};
  const auto extension = monitor(stage, slow_evaluator(stage.world, 10));
  stage.run(1s);
  Pending<Drained> drained{stage.world, extension, Drain{}};
  stage.world.pass(16s, 1s);
  CHECK_FALSE(drained.answered());
  stage.world.pass(1s, 1s);
  CHECK(drained.answered());
}

TEST_CASE("an unknown section is refused with the known ones", "[stream_monitoring][B35]") {
  Stage stage;
  StreamMonitoringOptions options;
  options.section = "holdout";
  CHECK_THROWS_WITH(spawn_stream_monitoring(stage.world.system, options,
                                            failing_evaluator(stage.world), stage.logger),
                    Catch::Contains("'holdout'") && Catch::Contains("train, validation, test"));
}

TEST_CASE("an invalid deadline or a missing evaluator is refused", "[stream_monitoring][B35]") {
  Stage stage;
  const auto spawned = [&](double deadline, const Evaluator& evaluator) {
    StreamMonitoringOptions options;
    options.deadline = deadline;
    spawn_stream_monitoring(stage.world.system, options, evaluator, stage.logger);
  };
  const auto evaluator = failing_evaluator(stage.world);
  for (const auto deadline : {0.0, -1.0, std::nan("")})
    CHECK_THROWS_WITH(spawned(deadline, evaluator),
                      Catch::Contains("deadline of stream_monitoring"));
  CHECK_THROWS_WITH(spawned(600, {}), Catch::Contains("no evaluator"));
}
