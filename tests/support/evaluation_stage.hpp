// A continuous evaluator with its surroundings: holders on other nodes, workers that the test
// controls, and an evaluator that answers at once or when the test says so.
#pragma once

#include "actors/evaluation/continuous_evaluator.hpp"
#include "actors/evaluation/evaluator.hpp"
#include "tests/support/remote_holder_stage.hpp"
#include "tests/support/toy_problem.hpp"

namespace troupe::test {

inline Block block_with(float w) { return Block::copy_of(std::vector<float>{w}); }

/// Requests to an evaluator that answers when the test says so.
struct ManualEvaluator {
  std::vector<Version> asked;
  std::vector<caf::typed_response_promise<Evaluated>> waiting;
};

/// An evaluator and two workers of a model with one parameter; their holder is on another node.
class Watching {
public:
  explicit Watching(ContinuousEvaluatorOptions options = {}, bool slow = false,
                    std::size_t shards = 1)
    : stage(shards) {
    options.worker = 2;
    options.layout = ToyModel{}.layout();
    RemoteHolderOptions remote_options;
    remote_options.worker = 2;
    remote_options.is_reader = true;
    remote_options.logger = stage.logger();
    remote = stage.remote(remote_options);
    const auto written = rows;
    const auto lines = said;
    logger
      = stage.world.keep(caf::actor_cast<Logger>(stage.world.system.spawn([=]() -> caf::behavior {
          return {
            [=](const Write& write) { written->push_back(write); },
            [=](const Say& say) { lines->push_back(say.text); },
          };
        })));
    measurer = slow ? slow_measurer() : real_measurer();
    watcher = stage.world.keep(
      spawn_continuous_evaluator(stage.world.system, remote.handle, measurer, logger, options));
    summary.emplace(stage.world, watcher, EvaluateVersions{});
    stage.pass(500ms);
  }

  Evaluator real_measurer() {
    return stage.world.keep(
      spawn_evaluator(stage.world.system, problem, std::make_shared<ToyModel>()));
  }
  Evaluator slow_measurer() {
    const auto state = slow;
    const auto behave = [state](caf::event_based_actor* self) -> caf::behavior {
      return {
        [state, self](const Evaluate& evaluate) {
          state->asked.push_back(evaluate.parameters.version);
          state->waiting.push_back(self->make_response_promise<Evaluated>());
          return state->waiting.back();
        },
        [state](int) { // the answer to the last one: the loss is 1 / version
          Evaluated evaluated;
          evaluated.version = state->asked.back();
          evaluated.metrics = {{"loss", 1.0 / static_cast<double>(evaluated.version)}};
          state->waiting.back().deliver(evaluated);
        },
      };
    };
    return stage.world.keep(caf::actor_cast<Evaluator>(stage.world.system.spawn(behave)));
  }

  /// A worker joins at the holder itself, and creates w = 0 if it is the first.
  void join(WorkerId worker) {
    Join join;
    join.worker = worker;
    join.layout = ToyModel{}.layout();
    REQUIRE(stage.world.ask<Joined>(holder(), join));
    REQUIRE(stage.world.ask<Parameters>(holder(), CreateIfAbsent{worker, block_with(0)}));
  }
  /// Makes w the shared parameter: one more version.
  void push(WorkerId worker, float w) {
    Push push;
    push.id = {worker, 1, ++numbers[worker]};
    push.rule.settings = {{"alpha", 0.0f}, {"beta", 1.0f}};
    push.values = block_with(w);
    REQUIRE(stage.world.ask<Applied>(holder(), push));
  }
  void leave(WorkerId worker) { stage.world.self->send(holder(), Leave{worker}); }
  void answer() {
    stage.world.self->send(caf::actor_cast<caf::actor>(measurer), 1);
    stage.pass(500ms);
  }

  const ParameterHolder& holder() const { return stage.holders.front(); }
  RemoteStage stage;
  RemoteStage::Remote remote;
  std::shared_ptr<ToyProblem> problem = std::make_shared<ToyProblem>(30, 700);
  std::shared_ptr<ManualEvaluator> slow = std::make_shared<ManualEvaluator>();
  /// Messages to the logger.
  std::shared_ptr<std::vector<Write>> rows = std::make_shared<std::vector<Write>>();
  std::shared_ptr<std::vector<std::string>> said = std::make_shared<std::vector<std::string>>();
  Logger logger;
  Evaluator measurer;
  ContinuousEvaluator watcher;
  std::optional<Pending<VersionsEvaluated>> summary;
  std::map<WorkerId, std::uint64_t> numbers;
};

} // namespace troupe::test
