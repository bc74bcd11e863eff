#include "extensions/monitoring/stream_monitoring.hpp"
#include "extensions/monitoring/timing.hpp"
#include "tests/support/extension_doubles.hpp"
#include "tests/support/extension_stage.hpp"

using namespace troupe;
using namespace troupe::test;

namespace {

Extension timing(Stage& stage, const std::string& prefix = "") {
  return stage.world.keep(spawn_timing(stage.world.system, {prefix}, stage.logger));
}

/// A gate that delays training by `seconds` at each of its triggers.
Extension delay(Stage& stage, double seconds) {
  StreamMonitoringOptions options;
  options.gate = true;
  return stage.world.keep(spawn_stream_monitoring(
    stage.world.system, options, slow_evaluator(stage.world, seconds), stage.logger));
}

LoopEvent timed_event(Callback callback, Step batches, Epoch epochs, double training,
                      double reading) {
  LoopEvent event;
  event.callback = callback;
  event.started = batches > 0;
  event.position.batches = batches;
  event.position.epochs = epochs;
  event.position.training_seconds = training;
  event.totals.reading_seconds = reading;
  return event;
}

Conditions every_n_batches(std::int64_t n) {
  return timing_conditions()
    .set_trigger("every_n_batches", Value{n})
    .set_trigger("after_epoch", false);
}

} // namespace

TEST_CASE("timing writes after each epoch by default", "[timing][B33]") {
  CHECK(triggers_of(timing_conditions())
        == std::vector<std::string>{"before_training", "after_epoch"});
}

TEST_CASE("an epoch's row has the times of the epoch and of the whole run", "[timing][B33]") {
  Stage stage{{.step_duration = 2, .epochs = 2}};
  stage.observe("timing", timing_conditions(), timing(stage));
  stage.run();
  CHECK(names_of(stage.row(3))
        == std::vector<std::string>{"time_gates_total", "time_initialization",
                                    "time_read_data_this_epoch", "time_read_data_total",
                                    "time_train_this_epoch", "time_train_total"});
  CHECK(number_in(stage.row(3), "time_train_this_epoch") == Approx(6));
  CHECK(number_in(stage.row(6), "time_train_this_epoch") == Approx(6));
  CHECK(number_in(stage.row(6), "time_train_total") == Approx(12));
}

TEST_CASE("after batches times are averages since the last call", "[timing][B33]") {
  TimingRecords timing;
  CHECK(timing.records(timed_event(Callback::before_training, 0, 0, 0, 0)).empty());
  timing.records(timed_event(Callback::after_batch, 2, 0, 3, 1));
  const auto records = timing.records(timed_event(Callback::after_batch, 6, 0, 11, 2));
  CHECK(number_in(records, "time_train_this_batch") == 2);
  CHECK(number_in(records, "time_read_data_this_batch") == 0.25);
  CHECK(number_in(records, "time_train_total") == 11);
  CHECK(number_in(records, "time_read_data_total") == 2);
}

TEST_CASE("times are averages over epochs without a row", "[timing][B33]") {
  TimingRecords timing;
  timing.records(timed_event(Callback::before_training, 0, 0, 0, 0));
  const auto records = timing.records(timed_event(Callback::after_epoch, 30, 2, 10, 4));
  CHECK(number_in(records, "time_train_this_epoch") == 5);
  CHECK(number_in(records, "time_read_data_this_epoch") == 2);
}

TEST_CASE("calls after batches do not shorten the epoch", "[timing][B33]") {
  Stage stage{{.epochs = 2}};
  stage.observe("timing",
                timing_conditions().set_trigger("every_n_batches", Value{std::int64_t{2}}),
                timing(stage));
  stage.run();
  CHECK(number_in(stage.row(2), "time_train_this_batch") == Approx(1));
  CHECK(number_in(stage.row(3), "time_train_this_epoch") == Approx(3));
  CHECK(number_in(stage.row(6), "time_train_this_epoch") == Approx(3));
}

TEST_CASE("the time before the first batch is written once, without prefix", "[timing][B33]") {
  Stage stage{{.epochs = 2}};
  stage.gate("slow start", trigger("before_training"), delay(stage, 3), Shows::parameters);
  stage.observe("timing", timing_conditions(), timing(stage, "worker0"));
  stage.run();
  CHECK(number_in(stage.row(3), "time_initialization") == Approx(3));
  CHECK(stage.row(6).count("time_initialization") == 0);
}

TEST_CASE("all other names have the prefix", "[timing][B33]") {
  Stage stage{{.epochs = 2}};
  stage.observe("timing", timing_conditions(), timing(stage, "w"));
  stage.run();
  for (const auto& name : names_of(stage.row(6)))
    CHECK_THAT(name, Catch::StartsWith("w_time_"));
  CHECK(stage.row(6).size() == 5);
}

TEST_CASE("time spent in gates is counted separately", "[timing][B33]") {
  Stage stage{{.epochs = 1}};
  stage.gate("slow", trigger("after_batch"), delay(stage, 0.5), Shows::parameters);
  stage.observe("timing", timing_conditions(), timing(stage));
  stage.run();
  CHECK(number_in(stage.row(3), "time_gates_total") == Approx(1.5));
  CHECK(number_in(stage.row(3), "time_train_this_epoch") == Approx(3));
}

TEST_CASE("a second call at the same count writes nothing", "[timing][B33]") {
  TimingRecords timing;
  timing.records(timed_event(Callback::before_training, 0, 0, 0, 0));
  CHECK_FALSE(timing.records(timed_event(Callback::after_batch, 5, 0, 5, 0)).empty());
  CHECK(timing.records(timed_event(Callback::after_batch, 5, 0, 5, 0)).empty());
}

TEST_CASE("the pause before a resume is not counted", "[timing][B33]") {
  Stage stage;
  stage.observe("timing", timing_conditions(), timing(stage));
  stage.finish_after(4);
  stage.run();
  stage.world.advance(100s);
  stage.finish_after(7);
  stage.run();
  CHECK(number_in(stage.row(6), "time_train_this_epoch") <= 3.001);
  CHECK(number_in(stage.row(6), "time_train_total") == Approx(6));
}

TEST_CASE("totals continue after a restart from a saved state", "[timing][B33]") {
  Stage stage;
  stage.finish_after(4);
  stage.run();
  const auto saved = stage.world.ask<SavedTrainer>(stage.trainer, Save{});
  REQUIRE(saved);
  stage.world.advance(100s);
  stage.trainer = stage.new_trainer();
  REQUIRE(stage.world.ask<Restored>(stage.trainer, Restore{*saved}));
  stage.observe("timing", every_n_batches(3), timing(stage));
  stage.finish_after(6);
  stage.run();
  CHECK(number_in(stage.row(6), "time_train_this_batch") == Approx(1));
  CHECK(number_in(stage.row(6), "time_train_total") == Approx(6));
}

TEST_CASE("as a gate, timing writes into the row that other gates see", "[timing]") {
  Stage stage;
  stage.gate("timing", every_n_batches(1), timing(stage));
  stage.finish_after(1);
  stage.run();
  CHECK(number_in(stage.row(1), "time_train_this_batch") == Approx(1));
}

TEST_CASE("times continue from a checkpoint in the middle of an epoch", "[timing][B33][B45]") {
  TimingRecords before;
  before.records(timed_event(Callback::before_training, 0, 0, 0, 0));
  before.records(timed_event(Callback::after_epoch, 10, 1, 20, 2));
  TimingRecords after;
  after.restore(before.state());
  // The run was killed five batches later and resumes from the checkpoint.
  CHECK(after.records(timed_event(Callback::before_training, 15, 1, 30, 3)).empty());
  const auto records = after.records(timed_event(Callback::after_epoch, 20, 2, 41, 5));
  CHECK(number_in(records, "time_train_this_epoch") == Approx(21));
  CHECK(number_in(records, "time_read_data_this_epoch") == Approx(3));
}
