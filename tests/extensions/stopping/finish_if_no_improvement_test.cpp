#include "extensions/stopping/finish_if_no_improvement.hpp"
#include "extensions/stopping/track_the_best.hpp"
#include "tests/support/record_script.hpp"

using namespace troupe;
using namespace troupe::test;

namespace {

const std::vector<double> oracle_losses{9, 8, 7, 8, 7, 6, 7, 7, 7};

Extension finish_if(Stage& stage, const FinishIfNoImprovementOptions& options,
                    const Conditions& conditions = finish_if_no_improvement_conditions()) {
  const auto extension
    = stage.world.keep(spawn_finish_if_no_improvement(stage.world.system, options, stage.logger));
  stage.gate("finish if no improvement", conditions, extension);
  return extension;
}

/// Losses, followed by an extension that marks the best.
void track_script(Stage& stage, const std::vector<double>& losses) {
  script(stage, losses);
  stage.gate("track the best", track_the_best_conditions(),
             stage.world.keep(spawn_track_the_best(stage.world.system, {}, stage.logger)));
}

std::vector<double> patience_after_epochs(Stage& stage, Epoch epochs) {
  std::vector<double> left;
  for (Epoch epoch = 1; epoch <= epochs; ++epoch)
    left.push_back(
      number_in(stage.row(last_batch_of(epoch)), "validation_loss_best_so_far_patience_epochs"));
  return left;
}

LoopEvent after_epoch(Epoch epochs) {
  LoopEvent event;
  event.callback = Callback::after_epoch;
  event.position.epochs = epochs;
  event.position.batches = last_batch_of(epochs);
  return event;
}

} // namespace

TEST_CASE("patience is checked after each epoch", "[finish_if_no_improvement][B40]") {
  CHECK(triggers_of(finish_if_no_improvement_conditions())
        == std::vector<std::string>{"after_epoch"});
}

TEST_CASE("losses 9, 8, 7, 8, 7, 6, 7, 7, 7 end training after the ninth epoch with a patience of "
          "3",
          "[finish_if_no_improvement][B40]") {
  Stage stage{{.epochs = 12}};
  track_script(stage, oracle_losses);
  finish_if(stage, {.epochs = 3});
  const auto finished = stage.run();
  CHECK(finished.position.epochs == 9);
  CHECK(finished.causes
        == std::vector<std::string>{"no validation_loss_best_so_far for 3 epochs, the last one was "
                                    "after batch 18, epoch 6"});
  CHECK(patience_after_epochs(stage, 9) == std::vector<double>{3, 3, 3, 2, 1, 3, 2, 1, 0});
}

TEST_CASE("the row in which training ends has the request", "[finish_if_no_improvement][B40]") {
  Stage stage{{.epochs = 12}};
  track_script(stage, oracle_losses);
  finish_if(stage, {.epochs = 3});
  stage.run();
  CHECK(stage.row(27).count("training_finish_requested") == 1);
  CHECK(stage.row(24).count("training_finish_requested") == 0);
}

TEST_CASE("a patience in batches ends training inside an epoch",
          "[finish_if_no_improvement][B40]") {
  Stage stage{{.epochs = 12}};
  track_script(stage, oracle_losses);
  finish_if(
    stage, {.batches = 10},
    finish_if_no_improvement_conditions().set_trigger("every_n_batches", Value{std::int64_t{1}}));
  CHECK(stage.run().position.batches == 18 + 10);
  CHECK(number_in(stage.row(20), "validation_loss_best_so_far_patience_batches") == 8);
}

TEST_CASE("a trigger that passes the end still ends training", "[finish_if_no_improvement][B40]") {
  Stage stage{{.epochs = 20}};
  track_script(stage, oracle_losses);
  finish_if(stage, {.epochs = 3},
            Conditions{}
              .add_condition({"after_epoch"}, on_record("validation_loss_best_so_far"))
              .set_trigger("every_n_epochs", Value{std::int64_t{5}}));
  CHECK(stage.run().position.epochs == 10); // epochs 5 and 10: a patience of -1 remains
}

TEST_CASE("without any best row training continues", "[finish_if_no_improvement][B40]") {
  Stage stage{{.epochs = 6}};
  const auto extension = finish_if(stage, {.epochs = 1});
  CHECK(stage.run().position.epochs == 6);
  CHECK(stage.row(18).empty());
  CHECK(stage.world.ask<Drained>(extension, Drain{}));
  REQUIRE(stage.heard->texts(Level::warning).size() == 1);
  CHECK_THAT(stage.heard->texts(Level::warning)[0],
             Catch::Contains("'validation_loss_best_so_far' in any of the 6 rows"));
}

TEST_CASE("a false notification does not count", "[finish_if_no_improvement][B40]") {
  FinishIfNoImprovement finish{{.epochs = 1}};
  const Records no{{"validation_loss_best_so_far", Value{false}}};
  const Records yes{{"validation_loss_best_so_far", Value{true}}};
  CHECK(finish.decide(after_epoch(1), no).answer.records.empty());
  CHECK_FALSE(finish.decide(after_epoch(2), yes).answer.finish);
  CHECK(finish.decide(after_epoch(3), no).answer.finish);
}

TEST_CASE("the names of the notification and of the remaining patience are options",
          "[finish_if_no_improvement][B40]") {
  FinishIfNoImprovement finish{
    {.notification = "record_run", .epochs = 4, .patience_record = "left"}};
  const auto decision = finish.decide(after_epoch(1), {{"record_run", Value{true}}});
  CHECK(names_of(decision.answer.records) == std::vector<std::string>{"left"});
}

TEST_CASE("training that has ended is not ended again", "[finish_if_no_improvement][B40]") {
  FinishIfNoImprovement finish{{.epochs = 1}};
  finish.decide(after_epoch(1), {{"validation_loss_best_so_far", Value{true}}});
  auto end = after_epoch(4);
  end.done = true;
  CHECK_FALSE(finish.decide(end, {}).answer.finish);
}

TEST_CASE("patience continues after a restart", "[finish_if_no_improvement][B40]") {
  Stage whole{{.epochs = 12}};
  track_script(whole, oracle_losses);
  finish_if(whole, {.epochs = 3});
  whole.run();
  for (Epoch cut = 1; cut < 9; ++cut) {
    Stage stage{{.epochs = 12}};
    script(stage, oracle_losses);
    const TrackTheBestOptions tracking;
    const auto track
      = stage.world.keep(spawn_track_the_best(stage.world.system, tracking, stage.logger));
    stage.gate("track the best", track_the_best_conditions(), track);
    const auto first = finish_if(stage, {.epochs = 3});
    stage.finish_after(last_batch_of(cut));
    stage.run();
    const auto finished = resume_in_a_new_trainer(stage, first, [&] {
      script(stage, oracle_losses);
      stage.gate("track the best", track_the_best_conditions(), track); // it goes on
      return finish_if(stage, {.epochs = 3});
    });
    CHECK(finished.position.epochs == 9);
    CHECK(patience_after_epochs(stage, 9) == patience_after_epochs(whole, 9));
  }
}

TEST_CASE("invalid options of finish_if_no_improvement are refused",
          "[finish_if_no_improvement][B40]") {
  Stage stage;
  const auto spawn = [&](const FinishIfNoImprovementOptions& options) {
    return spawn_finish_if_no_improvement(stage.world.system, options, stage.logger);
  };
  CHECK_THROWS_WITH(spawn({}), Catch::Contains("the patience is missing"));
  CHECK_THROWS_WITH(spawn({.epochs = 1, .batches = 2}),
                    Catch::Contains("either epochs or batches"));
  CHECK_THROWS_WITH(spawn({.notification = "", .epochs = 1}), Catch::Contains("notification:"));
  CHECK_THROWS_WITH(spawn({.epochs = 1, .deadline = -1}), Catch::Contains("above 0"));
}
