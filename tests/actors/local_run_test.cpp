#include "actors/local_run.hpp"
#include "base/failure.hpp"
#include "extensions/support/lambda_extension.hpp"
#include "extensions/support/record_maker.hpp"
#include "messages/wire/local_system.hpp"
#include "model/data/images/digits.hpp"
#include "model/facade/learn.hpp"
#include "model/zoo/network.hpp"
#include "tests/support/deterministic_system.hpp"
#include "tests/support/toy_problem.hpp"

#include <atomic>
#include <stdexcept>
#include <thread>

using namespace troupe;
using namespace troupe::test;
using Catch::Contains;

namespace {

RunActorsOptions toy_run() {
  RunActorsOptions options;
  options.problem = std::make_shared<ToyProblem>(30);
  options.model = std::make_shared<ToyModel>();
  options.make_optimizer
    = [](Index size) { return make_optimizer(SgdOptions{.learning_rate = 1e-3}, size); };
  options.order.batch_size = 10;
  return options;
}

Conditions each_epoch() { return Conditions{}.set_trigger("after_epoch", true); }

/// A gate that ends training after two epochs and records the double of their number.
Gate two_epochs(caf::actor_system& system) {
  return spawn_gate(system, [](const LoopEvent& event) {
    GateAnswer answer;
    answer.records["double"] = Value{2.0 * static_cast<double>(event.position.epochs)};
    answer.finish = event.position.epochs == 2;
    answer.reason = "two epochs are done";
    return answer;
  });
}

} // namespace

TEST_CASE("a local run trains until a gate ends it", "[local_run]") {
  LocalRun run{toy_run()};
  run.add_gate({"enough", each_epoch(), two_epochs(run.system())});
  const auto ends = run.train();
  REQUIRE(ends.size() == 1);
  CHECK(ends[0].outcome == Outcome::finished);
  CHECK(ends[0].causes == std::vector<std::string>{"two epochs are done"});
  CHECK(ends[0].position.epochs == 2);
  CHECK(run.row(6).at("double") == Value{4.0});
  CHECK(run.evaluate(ends[0].parameters, Section::validation).at("loss") < 1);
}

TEST_CASE("an observer can be added and removed while a local run trains", "[local_run]") {
  LocalRun run{toy_run()};
  run.start();
  std::atomic<int> seen = 0;
  const auto id
    = run.add_observer({"look", Conditions{}.set_trigger("every_n_batches", 1),
                        spawn_observer(run.system(), [&](const LoopEvent&) { ++seen; })});
  while (seen == 0)
    std::this_thread::yield();
  run.remove(id);
  run.add_gate({"enough", each_epoch(), spawn_gate(run.system(), [](const LoopEvent&) {
                  GateAnswer answer;
                  answer.finish = true;
                  return answer;
                })});
  CHECK(run.wait().front().outcome == Outcome::finished);
}

TEST_CASE("an exception in the user's code leaves a local run that trains", "[local_run]") {
  const auto leave = [] {
    LocalRun run{toy_run()};
    run.start(); // nothing ends it
    throw std::runtime_error("the user's code failed");
  };
  CHECK_THROWS_WITH(leave(), "the user's code failed"); // and ~actor_system does not hang
}

TEST_CASE("a local run in a program's own system leaves the system usable", "[local_run]") {
  LocalSystem system;
  for (auto i = 0; i < 2; ++i) {
    LocalRun run{system, toy_run()};
    run.add_gate({"enough", each_epoch(), two_epochs(system)});
    CHECK(run.train().front().position.epochs == 2);
  }
}

TEST_CASE("workers of a local run train together", "[local_run]") {
  auto options = toy_run();
  options.workers = 2;
  LocalRun run{options};
  for (std::size_t i = 0; i < 2; ++i)
    run.add_gate({"enough", each_epoch(), two_epochs(run.system())}, i);
  const auto ends = run.train();
  REQUIRE(ends.size() == 2);
  CHECK(ends[0].worker == 0);
  CHECK(ends[1].worker == 1);
}

TEST_CASE("an exception in a gate is reported with the gate's name", "[local_run]") {
  LocalRun run{toy_run()};
  run.add_gate(
    {"faulty", each_epoch(), spawn_gate(run.system(), [](const LoopEvent&) -> GateAnswer {
       throw std::runtime_error("there is no such column");
     })});
  CHECK_THROWS_WITH(run.train(), Contains("faulty") && Contains("there is no such column"));
}

TEST_CASE("an exception in an observer is reported with the observer's name", "[local_run]") {
  LocalRun run{toy_run()};
  const auto fails = [](const LoopEvent&) { throw std::runtime_error("the disk is full"); };
  run.add_observer({.name = "faulty",
                    .conditions = each_epoch(),
                    .observer = spawn_observer(run.system(), fails),
                    .on_end = OnLoss::fail});
  CHECK_THROWS_WITH(run.train(), Contains("'faulty'") && Contains("the disk is full"));
}

TEST_CASE("an exception in a maker of records is reported with the extension's name",
          "[local_run]") {
  const auto fails
    = [](const LoopEvent&) -> Records { throw std::runtime_error("no such column"); };
  {
    LocalRun run{toy_run()};
    const auto maker = spawn_record_maker(run.system(), "columns", fails, run.actors().logger);
    run.add_gate({"faulty", each_epoch(), caf::actor_cast<Gate>(maker)});
    CHECK_THROWS_WITH(run.train(), Contains("'faulty'") && Contains("no such column"));
  }
  LocalRun run{toy_run()};
  const auto maker = spawn_record_maker(run.system(), "columns", fails, run.actors().logger);
  run.add_observer({.name = "faulty",
                    .conditions = each_epoch(),
                    .observer = caf::actor_cast<Observer>(maker),
                    .on_end = OnLoss::fail});
  CHECK_THROWS_WITH(run.train(), Contains("'faulty'") && Contains("no such column"));
}

TEST_CASE("a subscription that cannot be is refused with the trainer's sentence", "[local_run]") {
  LocalRun run{toy_run()};
  run.add_gate({"enough", each_epoch(), two_epochs(run.system())});
  CHECK_THROWS_WITH(run.add_gate({"enough", each_epoch(), two_epochs(run.system())}),
                    Contains("trainer 0 answered") && Contains("enough"));
  CHECK_THROWS_AS(run.remove(99), Failure);
}

TEST_CASE("actors and a program without them learn the same parameters", "[local_run][facade]") {
  RunActorsOptions options;
  options.problem = std::make_shared<Digits>(DigitsOptions{.train = 100, .validation = 0});
  options.model = std::make_shared<Network>(options.problem->spec(), NetworkOptions{.hidden = {8}});
  options.make_optimizer
    = [](Index size) { return make_optimizer(AdamOptions{.learning_rate = 0.01}, size); };
  options.order.batch_size = 16;
  options.seed = 5;
  LocalRun run{options};
  run.add_gate({"enough", each_epoch(), two_epochs(run.system())});
  const auto trained = run.train().front().parameters.values;
  CHECK(learn(options.problem, {.model = {"mlp", {{"hidden", {8}}}},
                                .optimizer = {"adam", {{"learning_rate", 0.01}}},
                                .epochs = 2,
                                .batch_size = 16,
                                .seed = 5})
          .parameters()
        == trained);
}
