#include "actors/grid/grid_joiner.hpp"
#include "actors/grid/grid_node.hpp"
#include "messages/requests/error.hpp"
#include "tests/support/deterministic_system.hpp"

#include <caf/event_based_actor.hpp>
#include <caf/typed_event_based_actor.hpp>

using namespace troupe;
using namespace std::chrono_literals;

namespace {

/// What a grid's coordinator has received, and how it answers.
struct FakeCoordinator {
  bool answers = true; ///< otherwise it is silent
  unsigned runs = 1;   ///< for the first requests
  std::string probe = "probe";
  NodeRenewed renewed;
  std::uint32_t joined = 0, left = 0;
  std::vector<ReturnTrial> returned;
};

GridListener far_listener(test::DeterministicSystem& world,
                          const std::shared_ptr<FakeCoordinator>& host) {
  return world.spawn([host](GridListener::pointer self) -> GridListener::behavior_type {
    const auto silence = [self](auto answer) {
      return self->make_response_promise<decltype(answer)>(); // never delivered
    };
    return {
      [=](const JoinGrid&) {
        auto promise = silence(GridJoined{});
        if (host->answers)
          promise.deliver(GridJoined{++host->joined, "n-1", 1, "/shared/grid", "nodes/aa-1"});
        return promise;
      },
      [=](const ShowProbe& shown) -> caf::result<NodeAdmitted> {
        if (shown.probe != host->probe)
          return fail(Error::invalid_options, "it does not see the folder of the grid");
        return NodeAdmitted{};
      },
      [=](const RenewNode&) {
        auto promise = silence(NodeRenewed{});
        if (host->answers)
          promise.deliver(host->renewed);
        return promise;
      },
      [=](const AskForTrial&) {
        auto promise = silence(LeasedTrial{});
        if (host->answers && host->runs > 0) {
          --host->runs;
          promise.deliver(LeasedTrial{{5, 1, 0}, "", "", "run-5", "", false, JournalSync::seldom});
        }
        return promise;
      },
      [=](const ReturnTrial& returned) {
        host->returned.push_back(returned);
        return TrialReturned{};
      },
      [=](const LeaveGrid&) { ++host->left; },
    };
  });
}

/// Promises are kept by the actor that made them, so the test tells the runner how its run ended.
using LendingRunner = LeasedRunner::extend<caf::reacts_to<TrialEnded>>;

LeasedRunner lending_runner(test::DeterministicSystem& world,
                            const std::shared_ptr<LeasedTrial>& run) {
  return world.spawn([run](LendingRunner::pointer self) -> LendingRunner::behavior_type {
    const auto promise = std::make_shared<caf::typed_response_promise<TrialEnded>>();
    return {[run, self, promise](const LeasedTrial& leased) {
              *run = leased;
              *promise = self->make_response_promise<TrialEnded>();
              return *promise;
            },
            [promise](const TrialEnded& ended) { promise->deliver(ended); }};
  });
}

/// A runner that ends when it gets a trial.
LeasedRunner ending_runner(test::DeterministicSystem& world) {
  return world.spawn([](LeasedRunner::pointer self) -> LeasedRunner::behavior_type {
    return {[self](const LeasedTrial&) -> caf::result<TrialEnded> {
      self->quit();
      return fail(Error::unavailable, "it has run out of memory");
    }};
  });
}

struct NodeScene {
  /// @param ending number of runners, after the first, that end
  explicit NodeScene(std::size_t ending = 0) {
    auto listener = far_listener(world, host);
    const auto connector = world.spawn([listener, folder = folder] {
      return GridConnector::behavior_type{
        [listener](const ConnectGrid&) {
          return GridRoute{"there", listener};
        },
        [folder](const ReadProbe& read) {
          *folder = read.folder;
          return ProbeRead{"probe"};
        },
      };
    });
    GridNodeOptions options;
    options.patience = 20;
    runner = lending_runner(world, run);
    options.runners = {runner};
    for (std::size_t runner = 0; runner < ending; ++runner)
      options.runners.push_back(ending_runner(world));
    host->runs += static_cast<unsigned>(ending);
    options.stop_runs = [this](std::uint32_t level, const std::string&) { stopped = level; };
    options.notify = [](const std::string&) {};
    const auto joiner = world.keep(spawn_grid_joiner(world.system, connector));
    node = world.keep(spawn_grid_node(world.system, joiner, std::move(options)));
  }

  void end_run(TrialOutcome outcome) {
    TrialEnded ended;
    ended.run = run->trial.run;
    ended.outcome = outcome;
    world.self->send(caf::actor_cast<caf::actor>(runner), ended);
    world.run();
  }

  test::DeterministicSystem world;
  std::shared_ptr<FakeCoordinator> host = std::make_shared<FakeCoordinator>();
  std::shared_ptr<std::string> folder = std::make_shared<std::string>();
  std::shared_ptr<LeasedTrial> run = std::make_shared<LeasedTrial>(); ///< the active one
  LeasedRunner runner;                                                ///< the first one
  std::uint32_t stopped = 0;
  GridNode node;
};

} // namespace

TEST_CASE(
  "a node trains below its own folder, returns the result, and leaves when the grid is over",
  "[M47]") {
  NodeScene scene;
  const test::Pending<NodeEnded> ended{scene.world, scene.node, StartNode{}};
  CHECK(*scene.folder == "/shared/grid/nodes/aa-1");
  CHECK(scene.run->folder == "/shared/grid/nodes/aa-1/run-5");
  scene.end_run(TrialOutcome::done);
  REQUIRE(scene.host->returned.size() == 1);
  CHECK(scene.host->returned[0].ended.run == 5);
  scene.host->renewed.over = true;
  scene.world.pass(2s, 100ms);
  REQUIRE(ended.answered());
  CHECK(*ended == NodeEnded{NodeEnd::over, "", 1});
  CHECK(scene.host->left == 1);
}

TEST_CASE("a node whose lease is not renewed ends its run, and joins as a new node", "[M49]") {
  NodeScene scene;
  const test::Pending<NodeEnded> ended{scene.world, scene.node, StartNode{}};
  scene.world.pass(2s, 100ms);
  CHECK(scene.stopped == 0);
  scene.host->answers = false;
  scene.world.pass(3s, 100ms);
  CHECK(scene.stopped == 2);
  scene.host->answers = true;
  scene.world.pass(3s, 100ms);
  CHECK(scene.host->joined == 1); // its run is still active: stopping it would stop others
  scene.end_run(TrialOutcome::stopped);
  scene.world.pass(3s, 100ms);
  CHECK(scene.host->joined == 2);
  CHECK(scene.host->returned.empty());
  CHECK_FALSE(ended.answered());
}

TEST_CASE("a node gives up a coordinator that is unreachable for too long", "[M49]") {
  NodeScene scene;
  scene.host->answers = false;
  const test::Pending<NodeEnded> ended{scene.world, scene.node, StartNode{}};
  scene.world.pass(25s, 100ms);
  REQUIRE(ended.answered());
  CHECK(ended->how == NodeEnd::unreachable);
  CHECK(ended->why.find("could not be reached for 20") != std::string::npos);
}

TEST_CASE("a node that does not see the grid's folder ends with the coordinator's sentence",
          "[M47]") {
  NodeScene scene;
  scene.host->probe = "another";
  const test::Pending<NodeEnded> ended{scene.world, scene.node, StartNode{}};
  REQUIRE(ended.answered());
  CHECK(*ended == NodeEnded{NodeEnd::refused, "it does not see the folder of the grid", 0});
}

TEST_CASE("a stopped node returns its run first", "[M49]") {
  NodeScene scene;
  const test::Pending<NodeEnded> ended{scene.world, scene.node, StartNode{}};
  scene.world.self->send(scene.node, StopNode{});
  scene.world.run();
  CHECK_FALSE(ended.answered());
  scene.end_run(TrialOutcome::stopped);
  REQUIRE(ended.answered());
  CHECK(ended->how == NodeEnd::stopped);
  CHECK(scene.host->returned.size() == 1);
  CHECK(scene.host->left == 1);
}

TEST_CASE("a node that is stopped before its start ends at its start, and joins no grid", "[M49]") {
  NodeScene scene;
  scene.world.self->send(scene.node, StopNode{});
  scene.world.run();
  const test::Pending<NodeEnded> ended{scene.world, scene.node, StartNode{}};
  REQUIRE(ended.answered());
  CHECK(*ended == NodeEnded{NodeEnd::stopped, "", 0});
  scene.world.pass(1s, 100ms);
  CHECK(scene.host->joined == 0);
}

TEST_CASE("runs are told repeatedly that the grid was stopped, since one may just be starting",
          "[M49]") {
  NodeScene scene;
  const test::Pending<NodeEnded> ended{scene.world, scene.node, StartNode{}};
  scene.host->renewed.stop = 1;
  scene.world.pass(2s, 100ms);
  CHECK(scene.stopped == 1);
  scene.stopped = 0;
  scene.world.pass(1s, 100ms);
  CHECK(scene.stopped == 1);
  scene.end_run(TrialOutcome::stopped);
  scene.stopped = 0;
  scene.world.pass(1s, 100ms);
  CHECK(scene.stopped == 0);
}

TEST_CASE("a trial in flight when the grid is stopped is returned, and not started", "[M49]") {
  NodeScene scene;
  const test::Pending<NodeEnded> ended{scene.world, scene.node, StartNode{}};
  scene.host->renewed.stop = 2;
  scene.world.pass(2s, 100ms);
  *scene.run = {};
  scene.host->runs = 1; // for the runner whose run ends here
  scene.end_run(TrialOutcome::stopped);
  CHECK(scene.run->trial.run == 0);
  REQUIRE(scene.host->returned.size() == 2);
  CHECK(scene.host->returned[1].ended.outcome == TrialOutcome::stopped);
  CHECK(scene.host->returned[1].ended.reason == "the grid was stopped before it began");
}

TEST_CASE("a node with a lost runner waits for its other runs, and returns none", "[M49]") {
  NodeScene scene{1};
  const test::Pending<NodeEnded> ended{scene.world, scene.node, StartNode{}};
  CHECK(scene.host->left == 1);
  CHECK_FALSE(ended.answered());
  scene.end_run(TrialOutcome::done);
  scene.world.pass(1s, 100ms);
  REQUIRE(ended.answered());
  CHECK(ended->how == NodeEnd::failed);
  CHECK(scene.host->returned.empty());
}
