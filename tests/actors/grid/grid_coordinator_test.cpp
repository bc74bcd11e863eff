#include "actors/grid/grid_coordinator.hpp"
#include "actors/grid/grid_folder_manager.hpp"
#include "actors/grid/grid_supervisor.hpp"
#include "tests/support/data_files.hpp"
#include "tests/support/deterministic_system.hpp"
#include "tests/support/full_disk.hpp"

#include <caf/event_based_actor.hpp>

#include <algorithm>

using namespace troupe;
using namespace std::chrono_literals;

namespace {

/// A grid with so many runs, without runners of its own.
struct CoordinatorScene {
  explicit CoordinatorScene(RunNumber runs) {
    GridQueueOptions queue;
    queue.runs = runs;
    GridSupervisorOptions supervising{GridQueue{queue}, {}, nullptr, {}};
    supervising.awaits_runners = true;
    supervising.notify
      = [this](const TrialEnded& ended, const GridQueue&) { ends.push_back(ended); };
    supervisor = world.keep(spawn_scheduled_grid_supervisor(world.system, std::move(supervising)));
    GridCoordinatorOptions options;
    options.members = {"1.0", "", "probe", "nodes/aa", grid.path(""), 1};
    options.prepare = [](const RunTrial& trial) {
      LeasedTrial leased;
      leased.trial = trial;
      leased.folder = "run-" + std::to_string(trial.run);
      return leased;
    };
    options.notify = [this](const std::string& line) { told.push_back(line); };
    options.folders
      = spawn_scheduled_folder_manager(world.system, {{grid.path(""), "probe"}, options.notify});
    host = world.keep(spawn_grid_coordinator(world.system, std::move(options)));
    world.self->send(host, ServeGrid{supervisor});
    world.run();
  }

  /// A node that sees the grid's folder.
  NodeNumber node() {
    const auto joined = world.ask<GridJoined>(host, JoinGrid{protocol_version, "1.0", "", "n", 1});
    REQUIRE(joined);
    REQUIRE(world.ask<NodeAdmitted>(host, ShowProbe{joined->node, "probe"}));
    return joined->node;
  }
  test::Pending<LeasedTrial> asks(NodeNumber node) { return {world, host, AskForTrial{node}}; }
  caf::expected<TrialReturned> returns(NodeNumber node, const RunTrial& trial) {
    TrialEnded ended;
    ended.run = trial.run;
    ended.attempt = trial.attempt;
    return world.ask<TrialReturned>(host, ReturnTrial{node, ended});
  }
  /// Only this node renews its lease.
  void pass(std::chrono::seconds time, NodeNumber node) {
    for (auto second = 0s; second < time; ++second) {
      world.pass(1s, 250ms);
      static_cast<void>(world.ask<NodeRenewed>(host, RenewNode{node}));
    }
  }
  bool was_told(const std::string& words) const {
    return std::any_of(told.begin(), told.end(), [&](const std::string& line) {
      return line.find(words) != std::string::npos;
    });
  }

  test::DataFolder grid;
  test::DeterministicSystem world;
  std::vector<TrialEnded> ends;
  std::vector<std::string> told;
  GridSupervisor supervisor;
  GridCoordinator host;
};

} // namespace

TEST_CASE("nodes train the runs of a grid, and its results name them", "[M47]") {
  CoordinatorScene scene{2};
  const test::Pending<GridEnded> grid{scene.world, scene.supervisor, StartGrid{}};
  const auto one = scene.node(), two = scene.node();
  const auto first = scene.asks(one), second = scene.asks(two);
  REQUIRE(first.answered());
  REQUIRE(second.answered());
  CHECK(first->trial.run != second->trial.run);
  CHECK(scene.returns(one, first->trial));
  CHECK_FALSE(grid.answered());
  CHECK(scene.returns(two, second->trial));
  REQUIRE(grid.answered());
  CHECK(*grid == GridEnded{2, 0, 0, ""});
  REQUIRE(scene.ends.size() == 2);
  CHECK(scene.ends[0].node == "n-1");
  CHECK(scene.ends[1].node == "n-2");
}

TEST_CASE("within three renewals a lost node's run goes to another node, without a failure",
          "[M49]") {
  CoordinatorScene scene{1};
  const test::Pending<GridEnded> grid{scene.world, scene.supervisor, StartGrid{}};
  const auto lost = scene.node(), other = scene.node();
  const auto first = scene.asks(lost);
  REQUIRE(first.answered());
  const auto second = scene.asks(other);
  CHECK_FALSE(second.answered());
  scene.pass(4s, other); // three renewals, and the next check
  CHECK(scene.was_told("node n-1 is lost"));
  REQUIRE(second.answered());
  CHECK(second->trial == first->trial);
  REQUIRE(scene.ends.size() == 1);
  CHECK(scene.ends[0].outcome == TrialOutcome::stopped);
  CHECK(scene.ends[0].node == "n-1");

  SECTION("what the lost node returns when it wakes up is refused") {
    const auto late = scene.returns(lost, first->trial);
    REQUIRE_FALSE(late);
    CHECK(late.error() == Error::not_joined);
    CHECK_FALSE(grid.answered());
  }
  CHECK(scene.returns(other, second->trial));
  REQUIRE(grid.answered());
  CHECK(*grid == GridEnded{1, 0, 0, ""});
}

TEST_CASE("a lost node without a run leaves no offer behind", "[M49]") {
  CoordinatorScene scene{1};
  const auto lost = scene.node(), other = scene.node();
  const auto idle = scene.asks(lost);
  scene.pass(4s, other);
  const test::Pending<GridEnded> grid{scene.world, scene.supervisor, StartGrid{}};
  const auto asked = scene.asks(other);
  CHECK(asked.answered());
  CHECK(scene.ends.empty());
}

TEST_CASE("nodes are told that runs are to end, and that the grid has ended", "[M49]") {
  CoordinatorScene scene{1};
  const auto node = scene.node();
  CHECK(*scene.world.ask<NodeRenewed>(scene.host, RenewNode{node}) == NodeRenewed{0, false, false});
  scene.world.self->send(scene.host, StopNodes{2});
  scene.world.run();
  CHECK(*scene.world.ask<NodeRenewed>(scene.host, RenewNode{node}) == NodeRenewed{2, false, false});
  const test::Pending<GridClosed> closed{scene.world, scene.host, CloseGrid{true}};
  CHECK(*scene.world.ask<NodeRenewed>(scene.host, RenewNode{node}) == NodeRenewed{2, true, true});
  CHECK_FALSE(closed.answered());
  scene.world.self->send(scene.host, LeaveGrid{node});
  scene.world.run();
  CHECK(closed.answered());
}

TEST_CASE("a completed grid waits for no node", "[M49]") {
  CoordinatorScene scene{0};
  const test::Pending<GridEnded> grid{scene.world, scene.supervisor, StartGrid{}};
  CHECK(grid.answered());
}

TEST_CASE("a lost node's run waits until its files can be copied, and resumes from them", "[M49]") {
  CoordinatorScene scene{1};
  const test::Pending<GridEnded> grid{scene.world, scene.supervisor, StartGrid{}};
  const auto lost = scene.node(), other = scene.node();
  const auto first = scene.asks(lost);
  REQUIRE(first.answered());
  std::filesystem::create_directories(scene.grid.path("nodes/aa-1/run-1"));
  std::ofstream{scene.grid.path("nodes/aa-1/run-1/state.bin")} << std::string(100'000, 'x');
  const auto second = scene.asks(other);
  const auto at_home = scene.grid.path("nodes/aa-2/run-1/state.bin");
  {
    const test::FullDisk full{50'000};
    scene.pass(60s, other);
    CHECK(scene.was_told("the files of run-1 are not back from a lost node: cannot write"));
    CHECK_FALSE(second.answered());
    CHECK(scene.ends.empty());

    SECTION("after ten minutes that attempt has failed, and the next one starts from scratch") {
      scene.pass(600s, other);
      REQUIRE(second.answered());
      CHECK(second->trial.attempt == 2);
      REQUIRE(scene.ends.size() == 1);
      CHECK(scene.ends[0].outcome == TrialOutcome::failed);
      CHECK(scene.ends[0].reason.find("are in run-1.failed-1") != std::string::npos);
      CHECK(std::filesystem::exists(scene.grid.path("nodes/aa-2/run-1.failed-1/state.bin")));
      CHECK_FALSE(std::filesystem::exists(at_home));
      return;
    }
    SECTION("a stopped grid leaves them for its next start") {
      scene.world.self->send(scene.supervisor, StopGrid{});
      scene.world.self->send(scene.host, StopNodes{1});
      scene.world.run();
      REQUIRE(grid.answered());
      CHECK(*grid == GridEnded{0, 0, 1, ""});
      REQUIRE(scene.ends.size() == 1);
      CHECK(scene.ends[0].outcome == TrialOutcome::stopped);
      CHECK(scene.ends[0].reason.find("and cannot write") != std::string::npos);
      CHECK(std::filesystem::exists(scene.grid.path("nodes/aa-1/run-1/state.bin")));
      return;
    }
  }
  scene.pass(11s, other);
  CHECK(scene.was_told("the files of run-1 are back"));
  REQUIRE(second.answered());
  CHECK(second->trial == first->trial);
  CHECK(std::filesystem::file_size(at_home) == 100'000);
}

TEST_CASE("a node's lease begins when its folder exists, however long other copies take", "[M49]") {
  test::DeterministicSystem world;
  const auto busy_for_5_s = [](caf::event_based_actor* self) -> caf::behavior {
    const auto opening = std::make_shared<std::vector<caf::response_promise>>();
    return {[=](const OpenFolder&) {
              opening->push_back(self->make_response_promise());
              self->delayed_send(self, 5s, 1);
              return opening->back();
            },
            [=](int) { opening->front().deliver(FoldersMoved{}); }, [](const CancelRescues&) {}};
  };
  GridCoordinatorOptions options;
  options.members = {"1.0", "", "probe", "nodes/aa", "grid", 1};
  options.folders = caf::actor_cast<FolderManager>(world.spawn(busy_for_5_s));
  const auto host = world.keep(spawn_grid_coordinator(world.system, std::move(options)));
  const test::Pending<GridJoined> joined{world, host,
                                         JoinGrid{protocol_version, "1.0", "", "n", 1}};
  world.pass(6s, 250ms);
  REQUIRE(joined.answered());
  CHECK(world.ask<NodeAdmitted>(host, ShowProbe{joined->node, "probe"}));
  world.pass(4s, 250ms);
  CHECK_FALSE(world.ask<NodeRenewed>(host, RenewNode{joined->node}));
}
