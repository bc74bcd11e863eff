#include "tests/support/trainer_stage.hpp"

using namespace troupe;
using namespace troupe::test;
using Catch::Contains;

namespace {

StageOptions sgd_with_momentum() {
  return {.toy = {.examples = 95, .shuffle = true, .momentum = 0.9}, .step_duration = 0};
}

/// Answers with a learning rate and a momentum of its own after each batch.
std::function<GateAnswer(const LoopEvent&)> changing() {
  return [](const LoopEvent& event) {
    const auto n = static_cast<double>(event.position.batches);
    GateAnswer answer;
    answer.settings = {{"learning_rate", 1e-4 / n}, {"momentum", 0.9 - 0.01 * n}};
    if (event.position.batches > 8) // from then on unchanged
      answer.settings.clear();
    return answer;
  };
}

} // namespace

TEST_CASE("every setting of the optimizer can be changed by name", "[B38][P15]") {
  TrainerStage stage{sgd_with_momentum()};
  REQUIRE(stage.world.ask<SetDone>(
    stage.trainer, Set{{{"momentum", 0.5}, {"weight_decay", 0.25}, {"learning_rate", 0.1}}}));
  const auto saved = stage.world.ask<SavedTrainer>(stage.trainer, Save{});
  REQUIRE(saved);
  CHECK(saved->settings
        == std::map<std::string, double>{
          {"learning_rate", 0.1}, {"momentum", 0.5}, {"weight_decay", 0.25}});
  CHECK(stage.status().learning_rate == 0.1); // as a double, not as the nearest float
}

TEST_CASE("an unknown setting is refused with the nearest one, and nothing is set", "[B38][P15]") {
  TrainerStage stage{sgd_with_momentum()};
  const auto before = stage.world.ask<SavedTrainer>(stage.trainer, Save{});
  CHECK_THAT(stage.refusal<SetDone>(Set{{{"learning_rate", 0.5}, {"momentun", 0.5}}}),
             Contains("'momentun'") && Contains("did you mean 'momentum'?")
               && Contains("learning_rate, momentum, weight_decay"));
  CHECK_THAT(stage.refusal<SetDone>(Set{{{"learning_rate", 0.5}, {"momentum", 1}}}),
             Contains("momentum of sgd is 1"));
  const auto after = stage.world.ask<SavedTrainer>(stage.trainer, Save{});
  CHECK(after->settings == before->settings);
}

TEST_CASE("a gate gets the settings of the next update", "[B38][P11]") {
  TrainerStage stage{sgd_with_momentum()};
  auto shown = std::make_shared<std::vector<double>>();
  stage.note("changing", trigger("after_batch"), changing());
  const auto behave = [=](Gate::pointer) -> Gate::behavior_type {
    return {[=](const AskGate& ask) {
      shown->push_back(ask.settings.at("momentum"));
      return GateAnswer{};
    }};
  };
  stage.gate("looking", trigger("after_batch"),
             stage.world.keep(Gate{stage.world.system.spawn(behave)}));
  stage.finish_after(3);
  stage.run();
  CHECK(*shown == std::vector<double>{0.9 - 0.01, 0.9 - 0.02, 0.9 - 0.03});
}

TEST_CASE("changed settings are restored to the same bits", "[B38][B45]") {
  const auto run_from = [](Step from, const SavedTrainer* saved, Step to) {
    TrainerStage stage{sgd_with_momentum()};
    if (saved != nullptr)
      REQUIRE(stage.world.ask<Restored>(stage.trainer, Restore{*saved}));
    if (from == 0)
      stage.note("changing", trigger("after_batch"), changing());
    stage.finish_after(to);
    stage.run();
    const auto state = stage.world.ask<SavedTrainer>(stage.trainer, Save{});
    REQUIRE(state);
    return *state;
  };
  const auto half = run_from(0, nullptr, 12);
  const auto rest = run_from(12, &half, 23);
  const auto whole = run_from(0, nullptr, 23);
  CHECK(rest.parameters == whole.parameters);
  CHECK(rest.settings == whole.settings);
  CHECK(rest.settings.at("momentum") == 0.9 - 0.01 * 8);
}

TEST_CASE("saved settings that do not fit are refused, and nothing changes", "[B38][B44]") {
  TrainerStage stage{sgd_with_momentum()};
  stage.finish_after(5);
  stage.run();
  const auto before = *stage.world.ask<SavedTrainer>(stage.trainer, Save{});
  auto wrong = before;
  SECTION("another optimizer's") { wrong.settings["beta1"] = 0.9; }
  SECTION("an invalid value") { wrong.settings["momentum"] = 2; }
  wrong.optimizer_steps = 99;
  CHECK_THAT(stage.refusal<Restored>(Restore{wrong}), Contains("does not fit"));
  CHECK(*stage.world.ask<SavedTrainer>(stage.trainer, Save{}) == before);
}

TEST_CASE("a setting whose configuration was changed follows that, the others are restored",
          "[B38][B45]") {
  const auto saved_by
    = [](TrainerStage& stage) { return *stage.world.ask<SavedTrainer>(stage.trainer, Save{}); };
  TrainerStage first{sgd_with_momentum()};
  first.finish_after(5);
  REQUIRE(first.world.ask<SetDone>(
    first.trainer, Set{{{"momentum", 0.5}, {"weight_decay", 0.25}, {"learning_rate", 1e-5}}}));
  first.run();
  const auto saved = saved_by(first);

  TrainerStage unchanged{sgd_with_momentum()};
  REQUIRE(unchanged.world.ask<Restored>(unchanged.trainer, Restore{saved}));
  CHECK(saved_by(unchanged).settings == saved.settings);
  CHECK(unchanged.heard->texts().empty());

  auto options = sgd_with_momentum();
  options.toy.momentum = 0.75;
  TrainerStage changed{options};
  REQUIRE(changed.world.ask<Restored>(changed.trainer, Restore{saved}));
  auto expected = saved.settings;
  expected["momentum"] = 0.75;
  CHECK(saved_by(changed).settings == expected);
  CHECK(changed.heard->texts()
        == std::vector<std::string>{
          "from here on, as the configuration was changed: momentum 0.75 instead of 0.5"});

  TrainerStage later{options}; // for which nothing has changed any more
  REQUIRE(later.world.ask<Restored>(later.trainer, Restore{saved_by(changed)}));
  CHECK(saved_by(later).settings == expected);
  CHECK(later.heard->texts().empty());
}

TEST_CASE("a state without its optimizer's configuration keeps its settings", "[B38][B45]") {
  TrainerStage first{sgd_with_momentum()};
  auto saved = *first.world.ask<SavedTrainer>(first.trainer, Save{});
  saved.configured.clear();
  auto options = sgd_with_momentum();
  options.toy.momentum = 0.75;
  TrainerStage second{options};
  REQUIRE(second.world.ask<Restored>(second.trainer, Restore{saved}));
  CHECK(second.world.ask<SavedTrainer>(second.trainer, Save{})->settings == saved.settings);
}
