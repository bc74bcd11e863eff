#include "actors/grid/grid_supervisor.hpp"
#include "tests/support/data_files.hpp"
#include "tests/support/deterministic_system.hpp"

#include <caf/event_based_actor.hpp>
#include <caf/send.hpp>
#include <caf/typed_event_based_actor.hpp>

#include <deque>

using namespace troupe;

namespace {

/// Holds what it is asked to run until the test ends it.
struct BlockingRunner {
  struct One {
    RunTrial trial;
    caf::actor_addr runner;
  };
  std::deque<One> runs;
  std::size_t most = 0; ///< at once

  /// Takes effect when the world runs.
  void end(TrialOutcome outcome) {
    auto one = runs.front();
    runs.pop_front();
    TrialEnded ended;
    ended.run = one.trial.run;
    ended.attempt = one.trial.attempt;
    ended.outcome = outcome;
    caf::anon_send(caf::actor_cast<caf::actor>(one.runner), ended);
  }
};

/// Promises are kept by the actor that made them, so the test tells the runner how its run ended.
using HoldingRunner = TrialRunner::extend<caf::reacts_to<TrialEnded>>;

TrialRunner holding_runner(test::DeterministicSystem& world,
                           const std::shared_ptr<BlockingRunner>& held) {
  return world.spawn([held](HoldingRunner::pointer self) -> HoldingRunner::behavior_type {
    const auto promises = std::make_shared<std::deque<caf::typed_response_promise<TrialEnded>>>();
    return {[held, self, promises](const RunTrial& trial) {
              auto promise = self->make_response_promise<TrialEnded>();
              promises->push_back(promise);
              held->runs.push_back({trial, self->address()});
              held->most = std::max(held->most, held->runs.size());
              return promise;
            },
            [promises](const TrialEnded& ended) {
              promises->front().deliver(ended);
              promises->pop_front();
            }};
  });
}

GridQueue queue_of(RunNumber runs) {
  GridQueueOptions options;
  options.runs = runs;
  return GridQueue{options};
}

struct GridScene {
  test::DeterministicSystem world;
  std::shared_ptr<BlockingRunner> held = std::make_shared<BlockingRunner>();
  std::vector<TrialRunner> runners{holding_runner(world, held), holding_runner(world, held)};

  GridSupervisor supervise(RunNumber runs, std::shared_ptr<JournalFile> journal = nullptr) {
    return world.keep(spawn_scheduled_grid_supervisor(
      world.system, {queue_of(runs), runners, std::move(journal), {}}));
  }
  void end(TrialOutcome outcome) {
    held->end(outcome);
    world.run();
  }
};

} // namespace

TEST_CASE("no more runs are in flight than there are runners", "[M47]") {
  GridScene scene;
  const auto supervisor = scene.supervise(5);
  const test::Pending<GridEnded> pending{scene.world, supervisor, StartGrid{}};
  while (!scene.held->runs.empty())
    scene.end(TrialOutcome::done);
  CHECK(scene.held->most == 2);
  REQUIRE(pending.answered());
  CHECK(*pending == GridEnded{5, 0, 0, ""});
}

TEST_CASE("one failing run of three does not stop the others, and is reported", "[M48]") {
  GridScene scene;
  const auto supervisor = scene.supervise(3);
  const test::Pending<GridEnded> pending{scene.world, supervisor, StartGrid{}};
  scene.end(TrialOutcome::refused);
  scene.end(TrialOutcome::done);
  scene.end(TrialOutcome::done);
  REQUIRE(pending.answered());
  CHECK(*pending == GridEnded{2, 1, 0, ""});
}

TEST_CASE("a stopped grid answers when active runs have ended", "[M49]") {
  GridScene scene;
  const auto supervisor = scene.supervise(5);
  const test::Pending<GridEnded> pending{scene.world, supervisor, StartGrid{}};
  scene.world.self->send(supervisor, StopGrid{});
  scene.world.run();
  scene.end(TrialOutcome::done);
  CHECK_FALSE(pending.answered());
  scene.end(TrialOutcome::stopped);
  REQUIRE(pending.answered());
  CHECK(*pending == GridEnded{1, 0, 4, ""});
}

TEST_CASE("the run of a dead runner is retried by another", "[M48]") {
  GridScene scene;
  const auto supervisor = scene.supervise(2);
  const test::Pending<GridEnded> pending{scene.world, supervisor, StartGrid{}};
  const auto first = scene.held->runs.front().trial.run;
  scene.world.self->send_exit(scene.runners.back(), caf::exit_reason::kill);
  scene.world.run();
  scene.held->runs.pop_front();
  scene.end(TrialOutcome::done);
  REQUIRE(scene.held->runs.size() == 1);
  CHECK(scene.held->runs.front().trial.run == first);
  CHECK(scene.held->runs.front().trial.attempt == 2);
  scene.end(TrialOutcome::done);
  REQUIRE(pending.answered());
  CHECK(*pending == GridEnded{2, 0, 0, ""});
}

TEST_CASE("each result is in the journal before the next run starts", "[M49]") {
  const test::DataFolder folder;
  const auto path = folder.path("journal");
  GridScene scene;
  const auto supervisor
    = scene.supervise(3, std::make_shared<JournalFile>(path, JournalSync::never));
  const test::Pending<GridEnded> pending{scene.world, supervisor, StartGrid{}};
  scene.end(TrialOutcome::done);
  CHECK(read_journal(path).ended.size() == 1);
  CHECK(scene.held->runs.size() == 2);
}
