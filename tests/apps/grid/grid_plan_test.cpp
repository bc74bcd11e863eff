#include "apps/grid/plan.hpp"
#include "tests/support/program.hpp"
#include "tests/support/run_yaml.hpp"

#include <catch2/catch.hpp>

#include <set>

using namespace troupe;

namespace {

GridPlan plan_from(const std::string& yaml, std::uint64_t seed = 7) {
  return {grid_options(test::read(yaml), "grid.yaml"), seed};
}

std::string setting(const GridPlan& plan, RunNumber run, const std::string& path) {
  const auto settings = plan.settings_of(run);
  const auto* found = config::get(settings, config::parse_path(path));
  return found == nullptr ? "" : found->text();
}

} // namespace

TEST_CASE("a task's settings override the grid's, and axes override both", "[M45]") {
  const auto plan = plan_from("tasks:\n"
                              "  - overwrite: {training: {epochs: 5}, model: {name: mlp}}\n"
                              "  - overwrite: {model: {name: lenet}}\n"
                              "grid_overwrite: {training: {epochs: 3, batch_size: 9}}\n"
                              "grid: {training.batch_size: [16, 32]}\n");
  REQUIRE(plan.runs() == 4);
  CHECK(setting(plan, 1, "training.epochs") == "5");
  CHECK(setting(plan, 3, "training.epochs") == "3");
  CHECK(setting(plan, 1, "training.batch_size") == "16");
  CHECK(setting(plan, 4, "training.batch_size") == "32");
  CHECK(setting(plan, 4, "model.name") == "lenet");
}

TEST_CASE(
  "a task's files lie beside the grid's, and settings of the grid and the task are over them",
  "[M45]") {
  const test::WorkFolder work;
  const auto folder = work.path() / "sub"; // and not the working directory
  std::filesystem::create_directory(folder);
  std::ofstream{folder / "base.yaml"} << "training: {epochs: 4, batch_size: 16}\n";
  std::ofstream{folder / "grid.yaml"}
    << "tasks: [{configs: [base.yaml]}, {configs: [base.yaml], overwrite: {training: {epochs: "
       "2}}}]\ngrid_overwrite: {training: {epochs: 3}}\n";
  const GridPlan plan{read_grid(folder / "grid.yaml", {}), 7};
  REQUIRE(plan.runs() == 2);
  CHECK(setting(plan, 1, "training.epochs") == "3");
  CHECK(setting(plan, 2, "training.epochs") == "2");
  for (const RunNumber run : {1, 2})
    CHECK(setting(plan, run, "training.batch_size") == "16");
}

TEST_CASE("all trials of the first repetition come before those of the second", "[M46]") {
  const auto plan = plan_from("tasks: [{overwrite: {model: {name: a}}}, {overwrite: {model: {name: "
                              "b}}}, {overwrite: {model: {name: c}}}]\nrepetitions: 2\n");
  std::string order;
  for (RunNumber run = 1; run <= plan.runs(); ++run)
    order += setting(plan, run, "model.name") + std::to_string(plan.repetition_of(run)) + " ";
  CHECK(order == "a1 b1 c1 a2 b2 c2 ");
}

TEST_CASE("each repetition has its own seed, and a task's seed is kept", "[M45][M46]") {
  const auto drawn = plan_from("tasks: [{overwrite: {model: {name: mlp}}}]\nrepetitions: 3\n");
  std::set<std::string> seeds;
  for (RunNumber run = 1; run <= 3; ++run)
    seeds.insert(setting(drawn, run, "training.seed"));
  CHECK(seeds.size() == 3);
  const auto own = plan_from("tasks: [{overwrite: {training: {seed: 40}}}]\nrepetitions: 2\n");
  CHECK(setting(own, 1, "training.seed") == "40");
  CHECK(setting(own, 2, "training.seed") == "41");
}

TEST_CASE("a task without configurations and settings is an error", "[M45]") {
  CHECK_THROWS_WITH(plan_from("tasks: [{overwrite: {}}]"),
                    Catch::Contains("tasks[0]") && Catch::Contains("neither"));
  CHECK_THROWS_WITH(plan_from("repetitions: 2"), Catch::Contains("no list of tasks"));
}

TEST_CASE("all mistakes in a grid's file are reported at once, with the nearest key", "[M45]") {
  CHECK_THROWS_WITH(plan_from("tasks: [{overwrite: {a: 1}}]\nrepetition: 2\n"),
                    Catch::Contains("did you mean 'repetitions'"));
  CHECK_THROWS_WITH(plan_from("tasks: [{overwrite: {a: 1}}]\nrepetitions: 0\n"
                              "grid: {x: {from: 2, to: 1}, y: 3}\nsearch: random\n"),
                    Catch::Contains("repetitions is 0") && Catch::Contains("grid.x")
                      && Catch::Contains("grid.y") && Catch::Contains("trials: 20"));
  CHECK_THROWS_WITH(plan_from("tasks: [{overwrite: {a: 1}}]\ngrid: {x: {from: 1, to: 2}}\n"),
                    Catch::Contains("cannot combine"));
}

TEST_CASE(
  "what a grid's file says of failures, rungs and scores reaches what decides about its runs",
  "[M48][asha]") {
  const std::string task = "tasks: [{overwrite: {model: {name: mlp}}}]\n";
  const auto usual = queue_options(plan_from(task + "repetitions: 4\n"));
  CHECK(usual.runs == 4);
  CHECK(usual.retries == 1);
  CHECK_FALSE(usual.stop_on_failure);
  CHECK(usual.rungs == 1);
  CHECK(usual.choose == Choose::min);
  const auto other = queue_options(plan_from(task
                                             + "retries: 0\nstop_on_failure: true\nchoose: max\n"
                                               "halving: {rungs: [1, 2, 4], factor: 2}\n"));
  CHECK(other.retries == 0);
  CHECK(other.stop_on_failure);
  CHECK(other.rungs == 3);
  CHECK(other.factor == 2);
  CHECK(other.choose == Choose::max);
}

TEST_CASE("random search draws from lists and ranges, the same for the same seed", "[grid]") {
  const std::string yaml = "tasks: [{overwrite: {model: {name: mlp}}}]\nsearch: random\n"
                           "trials: 200\ngrid:\n  a.b: {from: 0.001, to: 10, scale: log}\n"
                           "  c: [x, y]\n  d: {from: 1, to: 4, whole: true}\n";
  const auto plan = plan_from(yaml);
  REQUIRE(plan.runs() == 200);
  std::set<std::string> words, numbers;
  int small = 0;
  for (RunNumber run = 1; run <= 200; ++run) {
    const auto value = std::stod(setting(plan, run, "a.b"));
    CHECK(value >= 0.001);
    CHECK(value < 10);
    small += value < 0.1 ? 1 : 0; // two of four decades
    words.insert(setting(plan, run, "c"));
    numbers.insert(setting(plan, run, "d"));
  }
  CHECK(small > 70);
  CHECK(small < 130);
  CHECK(words == std::set<std::string>{"x", "y"});
  CHECK(numbers == std::set<std::string>{"1", "2", "3", "4"});
  CHECK(plan_from(yaml).fingerprint() == plan.fingerprint());
  CHECK(plan_from(yaml, 8).fingerprint() != plan.fingerprint());
}

TEST_CASE("rungs end a trial in the unit of its trainer", "[asha][trainers]") {
  auto plain = test::read("training: {batch_size: 3}");
  auto offline = test::read("trainer: offline"), online = test::read("trainer: online");
  for (auto* settings : {&plain, &offline, &online})
    end_at_rung(*settings, 7);
  const auto text = [](const config::Node& settings, const std::string& path) {
    const auto* found = config::get(settings, config::parse_path(path));
    return found == nullptr ? "" : found->text();
  };
  CHECK(text(plain, "training.epochs") == "7");
  CHECK(text(offline, "training.terminal_conditions.epoch_limit") == "7");
  CHECK(text(offline, "training.epochs").empty());
  CHECK(text(online, "training.terminal_conditions.episode_limit") == "7");
}

TEST_CASE("trials limited by epochs and by episodes are not halved together", "[asha][trainers]") {
  const std::string rungs = "halving: {rungs: [1, 2]}\n";
  CHECK_THROWS_WITH(plan_from("tasks: [{overwrite: {trainer: offline}}, {overwrite: {trainer: "
                              "online}}]\n"
                              + rungs),
                    Catch::Contains("epochs in trial 1 and episodes in trial 2"));
  CHECK_THROWS_WITH(plan_from("tasks: [{overwrite: {model: {name: mlp}}}]\n"
                              "grid: {trainer: [online, offline]}\n"
                              + rungs),
                    Catch::Contains("episodes in trial 1 and epochs in trial 2"));
  CHECK_NOTHROW(plan_from("tasks: [{overwrite: {trainer: offline}}, {overwrite: {model: {name: "
                          "mlp}}}]\n"
                          + rungs));
}

TEST_CASE("a grid with too many runs for memory is refused before it allocates", "[R15]") {
  const std::string task = "tasks: [{overwrite: {model: {name: mlp}}}]\n",
                    two = "tasks: [{overwrite: {a: 1}}, {overwrite: {a: 2}}]\n",
                    axis = "grid: {optimizer.learning_rate: {from: 0.1, to: 1}}\n";
  for (const auto& grid : {task + "search: random\ntrials: 4000000000\n" + axis,
                           task + "search: latin_hypercube\ntrials: 100001\n" + axis,
                           two + "search: random\ntrials: 50001\n" + axis})
    CHECK_THROWS_WITH(plan_from(grid), Catch::Contains("more than 100000 trials"));
  CHECK_THROWS_WITH(plan_from(task + "repetitions: 4000000000\n"),
                    Catch::Contains("has 4000000000 runs"));
}

TEST_CASE("a range without representable numbers is refused", "[R15]") {
  const std::string grid = "tasks: [{overwrite: {a: 1}}]\nsearch: random\ntrials: 2\ngrid: {a: ";
  CHECK_THROWS_WITH(plan_from(grid + "{from: 0, to: 1e300, whole: yes}}\n"),
                    Catch::Contains("beyond 2^53"));
  CHECK_THROWS_WITH(plan_from(grid + "{from: -1e308, to: 1e308}}\n"),
                    Catch::Contains("too wide for a number"));
}

TEST_CASE("a latin hypercube has one trial in each part of each axis", "[grid]") {
  const auto plan = plan_from("tasks: [{overwrite: {model: {name: mlp}}}]\n"
                              "search: latin_hypercube\ntrials: 10\n"
                              "grid: {a: {from: 0, to: 10}, b: {from: 10, to: 20}}\n");
  std::set<int> a, b;
  for (RunNumber run = 1; run <= 10; ++run) {
    a.insert(static_cast<int>(std::stod(setting(plan, run, "a"))));
    b.insert(static_cast<int>(std::stod(setting(plan, run, "b"))));
  }
  CHECK(a.size() == 10);
  CHECK(b.size() == 10);
}

TEST_CASE("an unknown key of a task is refused with the nearest", "[M4]") {
  CHECK_THROWS_WITH(plan_from("tasks: [{configs: [base.yaml], overwrit: {}}]\n"),
                    Catch::Contains("unknown key 'overwrit' in tasks[0]")
                      && Catch::Contains("did you mean 'overwrite'?"));
  CHECK_THROWS_WITH(plan_from("tasks: [{overwrite: {model: {name: mlp}}, config: [a.yaml]}]\n"),
                    Catch::Contains("did you mean 'configs'?"));
}

TEST_CASE("an unknown argument is refused with all keys of a grid", "[M4]") {
  const test::WorkFolder work;
  const auto file = work.path() / "grid.yaml";
  std::ofstream{file} << "tasks: [{overwrite: {model: {name: mlp}}}]\n";
  CHECK_THROWS_WITH(read_grid(file, {"grid_overwrit={training: {epochs: 3}}"}),
                    Catch::Contains("did you mean 'grid_overwrite'?"));
  const auto options = read_grid(file, {"grid_overwrite={training: {epochs: 3}}"});
  CHECK(options.overwrite.find("training") != nullptr);
  CHECK(options.axes.empty());
}
