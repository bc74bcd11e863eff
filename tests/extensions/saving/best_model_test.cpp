#include "actors/checkpoint/run_writer.hpp"
#include "extensions/saving/best_model.hpp"
#include "extensions/stopping/terminal_conditions.hpp"
#include "messages/checkpoint/saved_run.hpp"
#include "tests/support/program.hpp"
#include "tests/support/record_script.hpp"

using namespace troupe;
using namespace troupe::test;

namespace {

/// A stage that trains a number of epochs of three batches under terminal conditions. A script
/// validates after each epoch, and the best model is saved in `folder`.
struct KeepingStage {
  KeepingStage(const std::filesystem::path& run, std::vector<double> losses,
               bool intermediate = false)
    : folder(run) {
    script(stage, losses);
    const auto epochs = static_cast<std::int64_t>(losses.size());
    stage.gate("terminal conditions", terminal_conditions_conditions(),
               stage.world.keep(spawn_terminal_conditions(
                 stage.world.system, {.limits = {.epoch_limit = epochs}}, stage.logger)));
    keeper = stage.world.keep(
      spawn_best_model(stage.world.system, {.intermediate = intermediate, .model = "toy"},
                       {stage.trainer, stage.logger,
                        stage.world.keep(spawn_scheduled_run_writer(stage.world.system)),
                        folder.string(), [this] { return time += 60; }}));
    stage.gate("best model", best_model_conditions(), keeper);
    stage.gate("parameters", trigger("after_epoch"),
               recording_gate(stage.world, new_trace(), "",
                              [this](const LoopEvent& event) {
                                parameters.push_back(event.parameters.values);
                                return GateAnswer{};
                              }),
               Shows::parameters);
  }

  SavedRun saved(const std::string& name = "model_best.bin") const {
    return load_run(folder / "models" / name);
  }
  ModelCard card(const std::string& name = "model_best.bin") const {
    return saved(name).card.value();
  }

  std::filesystem::path folder;
  Stage stage;
  double time = 1e6;
  std::vector<Block> parameters; ///< after each epoch
  Extension keeper;
};

} // namespace

TEST_CASE("the model is saved after each epoch with a strictly lower loss", "[best_model][M36]") {
  WorkFolder work;
  KeepingStage keeping{work.path(), {3, 2, 2, 1}};
  keeping.stage.run();
  std::vector<Epoch> kept;
  for (Epoch epoch = 1; epoch <= 4; ++epoch)
    if (keeping.stage.row(last_batch_of(epoch)).contains("model_saved_to"))
      kept.push_back(epoch);
  CHECK(kept == std::vector<Epoch>{1, 2, 4});
  CHECK(keeping.saved().trainers.at(0).parameters.values == keeping.parameters.at(3));
}

TEST_CASE("with a first loss of NaN no model is saved, and training ends without one",
          "[best_model][M36]") {
  WorkFolder work;
  KeepingStage keeping{work.path(), {not_a_number, not_a_number}};
  CHECK(keeping.stage.run().outcome == Outcome::finished);
  CHECK_FALSE(std::filesystem::exists(work.path() / "models"));
  CHECK(keeping.stage.heard->texts(Level::warning).empty());
}

TEST_CASE("with `intermediate` every validation has a file", "[best_model][M37]") {
  WorkFolder work;
  KeepingStage keeping{work.path(), {1, 2, 3}, true};
  keeping.stage.run();
  for (const auto& [name, epoch] :
       {std::pair{"model_episode_00002.bin", 1}, std::pair{"model_episode_00005.bin", 2},
        std::pair{"model_episode_00008.bin", 3}}) {
    CHECK(keeping.card(name).loss == epoch);
    CHECK(keeping.saved(name).trainers.at(0).parameters.values
          == keeping.parameters.at(static_cast<std::size_t>(epoch) - 1));
  }
  CHECK(keeping.card().episode == 2);
}

TEST_CASE("the end does not write the last intermediate model again", "[best_model][M37]") {
  WorkFolder work;
  KeepingStage keeping{work.path(), {2, 1}, true};
  keeping.stage.run();
  const auto last = keeping.card("model_episode_00005.bin");
  CHECK(last.model_timestamp == keeping.card().model_timestamp); // one state for both files
}

TEST_CASE("a saved model describes the training since the previous validation",
          "[best_model][M39]") {
  WorkFolder work;
  KeepingStage keeping{work.path(), {2, 1}};
  keeping.stage.run();
  CHECK_THAT(keeping.card().training_stats, Catch::StartsWith("episodes_aggregated 3; "));
}

TEST_CASE("the end changes the status of the best model and nothing else", "[best_model][M38]") {
  WorkFolder work;
  KeepingStage keeping{work.path(), {1, 2}};
  keeping.stage.run();
  const auto card = keeping.card();
  CHECK(card.status == "Not converged: Epoch Limit reached");
  CHECK(card.causes == card.status);
  CHECK(card.status_timestamp != card.model_timestamp);
  CHECK(card.episode == 2);
  CHECK(card.loss == 1);
  CHECK(keeping.saved().trainers.at(0).parameters.values == keeping.parameters.at(0));
  CHECK(keeping.saved().trainers.at(0).position.batches == 3);
}

TEST_CASE("the end changes the status of the best model with intermediate ones, too",
          "[best_model][M37][M38]") {
  WorkFolder work;
  KeepingStage keeping{work.path(), {1, 2}, true};
  keeping.stage.run();
  CHECK(keeping.card().status == "Not converged: Epoch Limit reached");
}

TEST_CASE("a saved model has a description and the state to resume training", "[best_model][M39]") {
  WorkFolder work;
  KeepingStage keeping{work.path(), {0.5}};
  const auto finished = keeping.stage.run();
  const auto run = keeping.saved();
  const auto card = keeping.card();
  CHECK(card.name == "toy");
  CHECK(card.loss == 0.5);
  CHECK(card.validation_stats == "loss 0.5 [Full Validation]");
  const std::string words = "episodes_aggregated 3; loss ";
  REQUIRE(card.training_stats.starts_with(words));
  CHECK(card.training_stats.ends_with(" [Training]"));
  CHECK(std::stod(card.training_stats.substr(words.size()))
        == Approx(finished.totals.batch_loss.value() / 3));
  CHECK(card.model_timestamp.starts_with("1970-01-1"));
  CHECK(run.trainers.at(0).layout.find("w") != nullptr);
  CHECK(run.trainers.at(0).optimizer_steps == 3);
  CHECK(run.trainers.at(0).cursor == 3);
}

TEST_CASE("a model that cannot be saved causes a warning, and training continues",
          "[best_model][M38]") {
  WorkFolder work;
  std::ofstream(work.path() / "models") << "a file where the folder should be";
  KeepingStage keeping{work.path(), {2, 1}};
  CHECK(keeping.stage.run().outcome == Outcome::finished);
  const auto warnings = keeping.stage.heard->texts(Level::warning);
  REQUIRE(warnings.size() == 3); // two models and the last status
  CHECK_THAT(warnings[0], Catch::Contains("the model of batch 3 could not be saved"));
}
