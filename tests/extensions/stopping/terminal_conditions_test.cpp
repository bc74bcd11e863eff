#include "extensions/stopping/terminal_conditions.hpp"
#include "tests/support/record_script.hpp"

using namespace troupe;
using namespace troupe::test;

namespace {

using Causes = std::vector<std::string>;

const std::string converged_fully
  = "Converged (Full Validation Loss went below Loss Stop threshold)";
const std::string converged_partially
  = "Converged (Partial Validation Loss went below Loss Stop threshold)";
const std::string episode_limit_reached = "Not converged: Episode Limit reached";
const std::string epoch_limit_reached = "Not converged: Epoch Limit reached";

Extension end_by(Stage& stage, const TerminalConditionsOptions& options) {
  const auto extension
    = stage.world.keep(spawn_terminal_conditions(stage.world.system, options, stage.logger));
  auto conditions = terminal_conditions_conditions();
  conditions.set_trigger("after_batch", true);
  stage.gate("terminal conditions", conditions, extension);
  return extension;
}

/// Subscribes a gate that writes a validation's loss after each batch, the first one after batch 1.
void validate_each_batch(Stage& stage, const std::vector<double>& losses) {
  const auto answer = [=](const LoopEvent& event) {
    GateAnswer answer;
    if (event.position.batches <= losses.size())
      answer.records["partial_valid_loss"] = Value{losses[event.position.batches - 1]};
    return answer;
  };
  stage.gate("validation", trigger("after_batch"),
             recording_gate(stage.world, new_trace(), "", answer));
}

TerminalConditionsOptions online(const TerminationLimits& limits) {
  return {.trainer = TrainerKind::online, .limits = limits, .record = "partial_valid_loss"};
}

} // namespace

TEST_CASE("offline training ends after exactly its limit of epochs, with that reason",
          "[terminal_conditions][M24][M27]") {
  Stage stage;
  end_by(stage, {.limits = {.epoch_limit = 3}});
  const auto finished = stage.run();
  CHECK(finished.position.epochs == 3);
  CHECK(finished.position.batches == 9);
  CHECK(finished.causes == Causes{epoch_limit_reached});
  CHECK(text_in(stage.row(9), training_status) == epoch_limit_reached);
  const auto status = stage.world.ask<RunStatus>(stage.logger, ReadStatus{0});
  REQUIRE(status);
  CHECK(text_in(status->records, "training_status") == epoch_limit_reached);
  CHECK(text_in(status->records, "training_causes") == epoch_limit_reached);
}

TEST_CASE("a limit of episodes inside an epoch ends offline training after after_epoch",
          "[terminal_conditions][M25]") {
  Stage stage;
  end_by(stage, {.limits = {.episode_limit = 5}});
  auto trace = new_trace();
  stage.gate(
    "trace",
    trigger("after_epoch").set_trigger("after_training", true).set_trigger("after_batch", true),
    recording_gate(stage.world, trace));
  const auto finished = stage.run();
  CHECK(finished.causes == Causes{episode_limit_reached});
  CHECK(finished.position.epochs == 2);
  CHECK(*trace
        == std::vector<std::string>{"after_batch 1", "after_batch 2", "after_batch 3",
                                    "after_epoch 3", "after_batch 4", "after_batch 5",
                                    "after_epoch 5", "after_training 5"});
}

TEST_CASE("a limit of episodes inside an epoch ends online training there",
          "[terminal_conditions][M25]") {
  Stage stage;
  end_by(stage, online({.epoch_limit = -1, .episode_limit = 5}));
  const auto finished = stage.run();
  CHECK(finished.causes == Causes{episode_limit_reached});
  CHECK(finished.position.batches == 5);
  CHECK(finished.position.epochs == 1);
}

TEST_CASE("the validation that closes an epoch at the limit of episodes can still converge",
          "[terminal_conditions][M26]") {
  Stage stage;
  script(stage, {9, 0.1});
  end_by(stage, {.limits = {.loss_stop = 0.5, .epoch_limit = 2, .episode_limit = 5}});
  const auto finished = stage.run();
  CHECK(finished.causes == Causes{converged_fully, episode_limit_reached, epoch_limit_reached});
  CHECK(text_in(stage.row(5), training_status) == converged_fully);
}

TEST_CASE("online training meets loss, episodes and epochs in this order",
          "[terminal_conditions][M26]") {
  Stage stage;
  validate_each_batch(stage, {9, 9, 9, 9, 9, 0.1});
  end_by(stage, online({.loss_stop = 0.5, .epoch_limit = 2, .episode_limit = 6}));
  const auto finished = stage.run();
  CHECK(finished.causes == Causes{converged_partially, episode_limit_reached, epoch_limit_reached});
  CHECK(text_in(stage.row(6), training_status) == converged_partially);
}

TEST_CASE("an interrupted run has that status, and resumes to the same end",
          "[terminal_conditions][M41]") {
  const TerminalConditionsOptions options{.limits = {.epoch_limit = 4}};
  Stage stage;
  const auto first = end_by(stage, options);
  stage.start();
  stage.world.pass(5s, 500ms);
  stage.world.self->send(stage.trainer, Stop{StopLevel::after_batch, "SIGINT", true});
  stage.world.pass(5s, 500ms);
  const auto stopped = stage.finished();
  CHECK(stopped.outcome == Outcome::interrupted);
  CHECK(text_in(stage.row(stopped.position.batches), training_status) == "interrupted");
  const auto finished
    = resume_in_a_new_trainer(stage, first, [&] { return end_by(stage, options); });
  CHECK(finished.position.batches == 12);
  CHECK(finished.causes == Causes{epoch_limit_reached});
}

TEST_CASE("a run that has ended ends again at once, unless its limit is raised",
          "[terminal_conditions][M24]") {
  Stage stage;
  const auto first = end_by(stage, {.limits = {.epoch_limit = 2}});
  stage.run();
  const Epoch limit = GENERATE(2, 3);
  const auto finished = resume_in_a_new_trainer(stage, first, [&] {
    return end_by(stage, {.limits = {.epoch_limit = static_cast<std::int64_t>(limit)}});
  });
  CHECK(finished.position.epochs == limit);
  CHECK(finished.causes == Causes{epoch_limit_reached});
}

TEST_CASE("a low loss waits for the curriculum", "[terminal_conditions][M29]") {
  Stage stage;
  script(stage, {0.1, 0.1, 0.1});
  end_by(stage, {.limits = {.loss_stop = 0.5}, .curriculum_epochs = 2});
  const auto finished = stage.run();
  CHECK(finished.position.epochs == 2);
  CHECK(finished.causes == Causes{converged_fully});
}

TEST_CASE("invalid limits of terminal_conditions are refused", "[terminal_conditions][M25]") {
  Stage stage;
  CHECK_THROWS_WITH(
    spawn_terminal_conditions(stage.world.system, online({.episode_limit = 0}), stage.logger),
    Catch::Contains("limits.episode_limit is 0"));
}
