#include "extensions/monitoring/stream_monitoring.hpp"
#include "extensions/stopping/track_the_best.hpp"
#include "tests/support/extension_doubles.hpp"
#include "tests/support/record_script.hpp"

using namespace troupe;
using namespace troupe::test;

namespace {

constexpr auto best_so_far = "validation_loss_best_so_far";

Extension track(Stage& stage, const TrackTheBestOptions& options = {},
                const Conditions& conditions = track_the_best_conditions()) {
  const auto extension
    = stage.world.keep(spawn_track_the_best(stage.world.system, options, stage.logger));
  stage.gate("track the best", conditions, extension);
  return extension;
}

/// The epochs whose row is marked as the best.
std::vector<Epoch> best_epochs(Stage& stage, const std::string& notification = best_so_far) {
  std::vector<Epoch> found;
  for (Epoch epoch = 1; epoch <= stage.problem->epochs(); ++epoch)
    if (text_in(stage.row(last_batch_of(epoch)), notification) == "true")
      found.push_back(epoch);
  return found;
}

Records run_status(Stage& stage) {
  return stage.world.ask<RunStatus>(stage.logger, ReadStatus{0})->records;
}

} // namespace

TEST_CASE("rows are compared after each epoch", "[track_the_best][B39]") {
  CHECK(triggers_of(track_the_best_conditions()) == std::vector<std::string>{"after_epoch"});
}

TEST_CASE("of the losses 5, 6, 5, 4 the first and the last are marked", "[track_the_best][B39]") {
  Stage stage{{.epochs = 4}};
  script(stage, {5, 6, 5, 4});
  track(stage);
  stage.run();
  CHECK(best_epochs(stage) == std::vector<Epoch>{1, 4});
  CHECK(stage.row(last_batch_of(2)).count(best_so_far) == 0);
  CHECK(number_in(run_status(stage), "best_validation_loss") == 4);
}

TEST_CASE("with `choose: max` the largest is the best, under the given name",
          "[track_the_best][B39]") {
  Stage stage{{.epochs = 4}};
  script(stage, {0.5, 0.7, 0.7, 0.8}, "validation_accuracy");
  track(stage, {.record = "validation_accuracy", .notification = "save me", .choose = Choose::max});
  stage.run();
  CHECK(best_epochs(stage, "save me") == std::vector<Epoch>{1, 2, 4});
  CHECK(number_in(run_status(stage), "best_validation_accuracy") == 0.8);
}

TEST_CASE("later gates see the notification in the row", "[track_the_best][B39]") {
  Stage stage{{.epochs = 4}};
  script(stage, {5, 6, 5, 4});
  track(stage);
  auto trace = new_trace();
  stage.gate("on best", Conditions{}.add_condition({"after_epoch"}, on_record(best_so_far)),
             recording_gate(stage.world, trace));
  stage.run();
  CHECK(*trace == std::vector<std::string>{"after_epoch 3", "after_epoch 12"});
}

TEST_CASE("it waits for metrics that training did not wait for", "[track_the_best][B39]") {
  Stage stage{{.epochs = 2}};
  const auto monitoring = stage.world.keep(
    spawn_stream_monitoring(stage.world.system, {}, slow_evaluator(stage.world, 10), stage.logger));
  stage.gate("monitoring", stream_monitoring_conditions(), monitoring, Shows::parameters);
  track(stage);
  stage.run(1s); // the loss is 100 + the number of batches
  CHECK(best_epochs(stage) == std::vector<Epoch>{1});
  CHECK(number_in(run_status(stage), "best_validation_loss") == 103);
}

TEST_CASE("a row without the record is not compared", "[track_the_best][B39]") {
  Stage stage{{.epochs = 2}};
  script(stage, {5, 4});
  track(stage, {},
        trigger("every_n_batches", Value{std::int64_t{1}}).set_trigger("after_epoch", true));
  stage.run();
  CHECK(best_epochs(stage) == std::vector<Epoch>{1, 2});
  CHECK(stage.row(1).empty());
  CHECK(stage.row(2).empty());
}

TEST_CASE("a loss that is not a number ends training, with the batch named",
          "[track_the_best][B39]") {
  Stage stage{{.epochs = 4}};
  script(stage, {5, 4, not_a_number, 3});
  track(stage);
  const auto finished = stage.run();
  CHECK(finished.outcome == Outcome::finished);
  CHECK(finished.causes
        == std::vector<std::string>{"validation_loss is not a number after batch 9, epoch 3; the "
                                    "best one was 4"});
}

TEST_CASE("an ignored NaN is not the best, and training continues", "[track_the_best][B39]") {
  Stage stage{{.epochs = 4}};
  script(stage, {not_a_number, 5, not_a_number, 4});
  track(stage, {.nan = OnNan::ignore});
  CHECK(stage.run().position.epochs == 4);
  CHECK(best_epochs(stage) == std::vector<Epoch>{2, 4});
}

TEST_CASE("a record that is not a number is the gate's error", "[track_the_best][B39]") {
  Stage stage{{.epochs = 2}};
  const auto talk = [](const LoopEvent&) {
    GateAnswer answer;
    answer.records["validation_loss"] = Value{std::string{"low"}};
    return answer;
  };
  stage.gate("talker", trigger("after_epoch"), recording_gate(stage.world, new_trace(), "", talk));
  track(stage);
  const auto finished = stage.run();
  CHECK(finished.outcome == Outcome::failed);
  CHECK_THAT(finished.error, Catch::Contains("'track the best' failed")
                               && Catch::Contains("record 'validation_loss' is 'low'"));
}

TEST_CASE("a row that stays incomplete is the gate's error after its deadline",
          "[track_the_best][B39]") {
  const auto error_with = [](double deadline) {
    Stage stage{{.epochs = 1}};
    stage.world.self->send(stage.logger, Expect{{0, 3}, "a writer who takes 30 s"});
    script(stage, {5});
    track(stage, {.deadline = deadline});
    stage.start();
    stage.world.pass(30s, 1s);
    stage.world.self->send(stage.logger, Write{{0, 3}, 1, 3, {}, "a writer who takes 30 s"});
    stage.world.pass(30s, 1s);
    return stage.finished().error;
  };
  CHECK_THAT(error_with(20), Catch::Contains("the row of batch 3 was not complete within 20 s"));
  // cure: it and not written them; raise the deadline if that may take so long
  CHECK(error_with(60).empty());
}

TEST_CASE("a logger that has ended is the gate's error", "[track_the_best][B39]") {
  Stage stage{{.epochs = 1}};
  const auto extension = track(stage);
  stage.world.self->send_exit(stage.logger, caf::exit_reason::kill);
  stage.world.run();
  const auto answer = stage.world.ask<GateAnswer>(extension, AskGate{});
  REQUIRE_FALSE(answer);
  CHECK_THAT(sentence(answer.error()), Catch::Contains("cannot read the row of batch 0"));
}

TEST_CASE("a record that no row had causes a warning at the end, with the nearest name",
          "[track_the_best][B39]") {
  Stage stage{{.epochs = 2}};
  script(stage, {5, 4});
  const auto extension = track(stage, {.record = "validation_los", .choose = Choose::min});
  stage.run();
  CHECK(stage.world.ask<Drained>(extension, Drain{}));
  CHECK(stage.heard->texts(Level::warning)
        == std::vector<std::string>{"track_the_best has found no record 'validation_los' in any of "
                                    "the 2 rows that it looked at; did you mean "
                                    "'validation_loss'?"});
}

TEST_CASE("if the record was found there is no warning", "[track_the_best][B39]") {
  Stage stage{{.epochs = 2}};
  script(stage, {not_a_number, not_a_number});
  const auto extension = track(stage, {.nan = OnNan::ignore});
  stage.run();
  CHECK(stage.world.ask<Drained>(extension, Drain{}));
  CHECK(stage.heard->texts(Level::warning).empty());
}

TEST_CASE("as an observer it writes the notification into the row itself",
          "[track_the_best][B39]") {
  Stage stage{{.epochs = 3}};
  script(stage, {5, 6, 4});
  const auto extension
    = stage.world.keep(spawn_track_the_best(stage.world.system, {}, stage.logger));
  stage.observe("track the best", track_the_best_conditions(), extension);
  stage.run();
  CHECK(best_epochs(stage) == std::vector<Epoch>{1, 3});
}

TEST_CASE("after a restart rows are compared with the earlier best", "[track_the_best][B39]") {
  const std::vector<double> losses{5, 6, 4, 7, 4, 3, 8, 2};
  Stage whole{{.epochs = 8}};
  script(whole, losses);
  track(whole);
  whole.run();
  for (Epoch cut = 1; cut < 8; ++cut) {
    Stage stage{{.epochs = 8}};
    script(stage, losses);
    const auto first = track(stage);
    stage.finish_after(last_batch_of(cut));
    stage.run();
    resume_in_a_new_trainer(stage, first, [&] {
      script(stage, losses);
      return track(stage);
    });
    CHECK(best_epochs(stage) == best_epochs(whole));
    CHECK(number_in(run_status(stage), "best_validation_loss") == 2);
  }
}

TEST_CASE("a save waits for the rows requested before it", "[track_the_best][B39]") {
  Stage stage;
  const auto extension
    = stage.world.keep(spawn_track_the_best(stage.world.system, {}, stage.logger));
  stage.world.self->send(stage.logger, Expect{{0, 0}, "later"});
  Pending<GateAnswer> answer{stage.world, extension, AskGate{}};
  Pending<SavedExtension> saved{stage.world, extension, SaveExtension{}};
  CHECK_FALSE(saved.answered());
  stage.world.self->send(stage.logger,
                         Write{{0, 0}, 0, 0, {{"validation_loss", Value{5.0}}}, "later"});
  stage.world.run();
  REQUIRE(saved.answered());
  CHECK(number_in(saved->state, "best.value") == 5);
}

TEST_CASE("an empty state or one of other types leaves the extension unchanged",
          "[track_the_best][B39]") {
  TrackTheBest track{{}};
  track.restore({});
  track.restore({{"best.any", Value{std::string{"yes"}}}, {"best", Value{3.0}}});
  CHECK(track.awaited_record() == "validation_loss");
}

TEST_CASE("invalid options of track_the_best are refused", "[track_the_best][B39]") {
  Stage stage;
  const auto spawn = [&](const TrackTheBestOptions& options) {
    return spawn_track_the_best(stage.world.system, options, stage.logger);
  };
  CHECK_THROWS_WITH(spawn({.record = ""}), Catch::Contains("record: validation_loss"));
  CHECK_THROWS_WITH(spawn({.deadline = 0}), Catch::Contains("deadline of track_the_best"));
  CHECK_THROWS_WITH(spawn({.deadline = not_a_number}), Catch::Contains("above 0"));
}
