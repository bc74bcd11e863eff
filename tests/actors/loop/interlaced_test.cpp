// Two trainers in one process, whose extensions control and change each other only by messages.
#include "tests/support/trainer_stage.hpp"

#include <array>

using namespace troupe;
using namespace troupe::test;

namespace {

/// What a gate of one trainer does to the other, and what it answers.
using Reaction = std::function<GateAnswer(const LoopEvent& event, const std::vector<Snapshot>&)>;

/// Two trainers on the same problem that alternate after each batch.
class Interlaced {
public:
  explicit Interlaced(Reaction reaction = {}) : trainers_{stage.trainer, second()} {
    auto behave = [this, reaction](Gate::pointer self) -> Gate::behavior_type {
      return {[this, reaction, self](const AskGate& ask) {
        const auto& event = ask.event;
        trace.push_back(std::to_string(event.worker) + "."
                        + std::to_string(event.position.batches));
        newest_[event.worker] = event.parameters;
        self->send(trainers_[1 - event.worker], Advance{1});
        return reaction ? reaction(event, newest_) : GateAnswer{};
      }};
    };
    const auto turns = stage.world.keep(stage.world.system.spawn(behave));
    const auto enough = stage.world.keep(spawn_finish_after(stage.world.system, "enough"));
    for (const auto& trainer : trainers_) {
      REQUIRE(stage.world.ask<Subscribed>(
        trainer, SubscribeGate{"turns", trigger("after_batch"), turns, Shows::parameters}));
      REQUIRE(stage.world.ask<Subscribed>(
        trainer, SubscribeGate{"enough", trigger("after_n_batches", batches(8)),
                               caf::actor_cast<Gate>(enough)}));
      stage.world.self->send(trainer, Pause{});
    }
    stage.world.run();
  }

  /// @returns both workers' last parameter.
  std::array<float, 2> run(caf::timespan first_delay = 0s) {
    const Pending<Finished> one{stage.world, trainers_[0], Start{}};
    stage.world.pass(first_delay, 100ms);
    const Pending<Finished> two{stage.world, trainers_[1], Start{}};
    stage.world.self->send(trainers_[0], Advance{1});
    stage.world.pass(60s, 100ms);
    REQUIRE(one.answered());
    REQUIRE(two.answered());
    return {one->parameters.values.view()[0], two->parameters.values.view()[0]};
  }

  TrainerStage stage{{.step_duration = 1}};
  std::vector<std::string> trace;

private:
  Trainer second() {
    TrainerOptions options;
    options.worker = 1;
    options.step_duration = 0.3; // faster: it would be ahead if it were not held
    return stage.world.keep(spawn_trainer(stage.world.system,
                                          toy_learner(stage.problem, {.learning_rate = 5e-5f}),
                                          stage.logger, options));
  }

  std::vector<Trainer> trainers_;
  std::vector<Snapshot> newest_{2};
};

} // namespace

TEST_CASE("two trainers alternate batch by batch through their extensions alone, at any speed",
          "[P16]") {
  Interlaced pair;
  pair.run();
  std::vector<std::string> expected;
  for (auto batch = 1; batch <= 8; ++batch)
    for (const auto* worker : {"0.", "1."})
      expected.push_back(worker + std::to_string(batch));
  CHECK(pair.trace == expected);
}

TEST_CASE("interlaced trainers that only wait for each other learn what they learn alone",
          "[P16]") {
  Interlaced pair;
  const auto together = pair.run();
  TrainerStage alone{{.step_duration = 1}};
  alone.finish_after(8);
  CHECK(alone.run().parameters.values.view()[0] == together[0]);
}

TEST_CASE("an extension of one trainer copies what the other has learned", "[P16]") {
  const auto takes_over = [](const LoopEvent& event, const std::vector<Snapshot>& newest) {
    GateAnswer answer;
    if (event.worker == 1 && event.position.batches == 8)
      answer.parameters = newest[0].values;
    return answer;
  };
  Interlaced pair{takes_over};
  const auto ends = pair.run();
  CHECK(ends[1] == ends[0]);
}

TEST_CASE("trainers that react to each other end with the same bits whenever they start", "[P16]") {
  // Each continues from the mean of both after every second batch.
  const auto meets = [](const LoopEvent& event, const std::vector<Snapshot>& newest) {
    GateAnswer answer;
    const auto& other = newest[1 - event.worker].values;
    if (event.position.batches % 2 == 0 && !other.empty()) {
      const auto mean = (event.parameters.values.view()[0] + other.view()[0]) / 2;
      answer.parameters = Block::copy_of(std::vector<float>{mean});
    }
    return answer;
  };
  const auto at_once = Interlaced{meets}.run();
  CHECK(Interlaced{meets}.run(5s) == at_once);
  CHECK(Interlaced{}.run() != at_once);
}
