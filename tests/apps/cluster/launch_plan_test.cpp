// The plan of a launcher, and the environment of its children.
#include "actors/loop/saved_learner.hpp"
#include "apps/cluster/batch_job.hpp"
#include "apps/cluster/launch_plan.hpp"
#include "apps/folder/cluster_folder.hpp"
#include "apps/process/child_process.hpp"
#include "apps/session/run_actors_options.hpp"
#include "apps/session/run_problem.hpp"
#include "base/files/durable_file.hpp"
#include "tests/support/program.hpp"

#include <catch2/catch.hpp>
#include <poll.h>
#include <unistd.h>

#include <algorithm>
#include <iostream>
#include <iterator>

using namespace troupe;
using namespace troupe::test;
using namespace std::chrono_literals;
using Catch::Contains;

namespace {

LaunchCommand command_in(const WorkFolder& work) {
  LaunchCommand command;
  command.workers = 2;
  command.train.arguments = {"problem.train=60", "problem.validation=10", "problem.test=10",
                             "model.hidden=[4]", "run.root=" + work.path().string()};
  return command;
}

/// Writes the state of a worker that has trained a number of epochs, by the command's
/// configuration.
SavedTrainer trainer_after(Epoch epochs, const LaunchCommand& command) {
  const auto config = cluster_configuration(command.train, 2);
  const auto problem = problem_of(config);
  const auto options = run_actors_options(config, problem, model_of(config, *problem), 2);
  auto saved = saved_learner(*make_learner(options, 0), 0);
  saved.position.epochs = epochs;
  return saved;
}

std::string output_of_child(ChildProcess& child) {
  std::string text;
  while (child.output() >= 0) {
    pollfd poll_for{child.output(), POLLIN, 0};
    poll(&poll_for, 1, -1);
    for (const auto& line : child.read_lines())
      text += line;
  }
  while (!child.reap())
    usleep(1000);
  return text;
}

} // namespace

// The next test starts this one in its own process.
TEST_CASE("the environment, printed", "[.launched_environment]") {
  for (char** variable = environ; *variable != nullptr; ++variable)
    if (std::string{*variable}.starts_with("TROUPE_"))
      std::cout << *variable << "\n";
}

TEST_CASE("a launched worker's environment has the launcher's values", "[L22][L23]") {
  WorkFolder work;
  RunLock lock;
  auto command = command_in(work);
  command.devices = "cuda:0,cuda:1";
  command.walltime = "1:30:00";
  command.job_name = "night";
  const auto plan = plan_of(command, lock);
  ChildProcess child{
    "worker-1", {"[.launched_environment]"}, -1, variables_of(command, plan, 1, "127.0.0.1:20000")};
  const auto text = output_of_child(child);
  CHECK(child.exit_code() == 0);
  for (const auto& line :
       {"TROUPE_RUN=" + plan.folder.string(), std::string{"TROUPE_JOB_NAME=night"},
        "TROUPE_CONFIG=" + (plan.folder / "config.yaml").string(),
        std::string{"TROUPE_HOLDERS=127.0.0.1:20000"}, std::string{"TROUPE_INSTANCES=2"},
        std::string{"TROUPE_INDEX=1"}, std::string{"TROUPE_DEBUG=0"},
        std::string{"TROUPE_WALLTIME=1:30:00"}, std::string{"TROUPE_DEVICE=cuda:1"},
        std::string{"TROUPE_END_TIME="}})
    CHECK_THAT(text, Contains(line));
}

TEST_CASE("training ends cluster.grace seconds before the walltime", "[L21]") {
  WorkFolder work;
  RunLock lock;
  auto command = command_in(work);
  command.walltime = "1:00:00";
  const auto plan = plan_of(command, lock);
  REQUIRE(plan.end);
  REQUIRE(plan.drain_at);
  CHECK(*plan.end - *plan.drain_at == 120s); // cluster.grace
  command.walltime = "soon";
  CHECK_THROWS_WITH(plan_of(command, lock), Contains("--walltime"));
}

TEST_CASE("the workers' end of the walltime is not before the launcher's", "[L21][L24]") {
  WorkFolder work;
  RunLock lock;
  auto command = command_in(work);
  command.walltime = "1:00:00";
  const auto plan = plan_of(command, lock);
  const auto read = std::stoll(variables_of(command, plan, 0, "").at("TROUPE_END_TIME"));
  const auto end
    = on_steady_clock(std::chrono::system_clock::time_point{std::chrono::seconds{read}});
  CHECK(end >= *plan.end);
  CHECK(end < *plan.end + 60s); // whole seconds, and the delay of a slow machine
}

TEST_CASE("an invalid grace is refused before any process starts", "[L21]") {
  WorkFolder work;
  RunLock lock;
  for (const auto* grace : {"-5", "1e300", ".nan", ".inf"}) {
    auto command = command_in(work);
    command.walltime = "1:00:00";
    command.train.arguments.push_back(std::string{"cluster.grace="} + grace);
    CHECK_THROWS_AS(plan_of(command, lock), Failure);
    CHECK_FALSE(std::filesystem::exists(command.folder));
  }
  for (const auto grace : {-1.0, 1e300, std::numeric_limits<double>::quiet_NaN()}) {
    auto command = command_in(work);
    command.grace = grace;
    CHECK_THROWS_WITH(plan_of(command, lock), Contains("--grace ") && Contains("like 10"));
  }
}

TEST_CASE("an invalid number of restarts is refused", "[R16]") {
  WorkFolder work;
  RunLock lock;
  auto command = command_in(work);
  command.restarts = -1;
  CHECK_THROWS_WITH(plan_of(command, lock), Contains("--restarts -1"));
  command.restarts = 0;
  CHECK_NOTHROW(plan_of(command, lock));
}

TEST_CASE("a holder gets the configuration if that names plugins", "[L23]") {
  WorkFolder work;
  RunLock lock;
  const auto command = command_in(work);
  auto plan = plan_of(command, lock);
  CHECK_FALSE(plan.has_plugins);
  const auto without = arguments_of_holder(command, plan, 0, "0");
  CHECK(std::count(without.begin(), without.end(), "--config") == 0);
  plan.has_plugins = true;
  const auto with = arguments_of_holder(command, plan, 0, "0");
  const auto config = std::find(with.begin(), with.end(), "--config");
  REQUIRE(std::distance(config, with.end()) > 1);
  CHECK(*std::next(config) == (plan.folder / "config.yaml").string());
  const auto workers = std::find(with.begin(), with.end(), "--workers");
  REQUIRE(std::distance(workers, with.end()) > 1);
  CHECK(*std::next(workers) == "2");
}

TEST_CASE("a list of devices has one for each worker", "[L23]") {
  WorkFolder work;
  RunLock lock;
  auto command = command_in(work);
  command.workers = 3;
  command.devices = "0,1";
  CHECK_THROWS_AS(plan_of(command, lock), UsageError);
  command.devices = "0,1,1";
  CHECK(plan_of(command, lock).devices == std::vector<std::string>{"0", "1", "1"});
}

TEST_CASE("rounds that would wait for workers that start later are refused", "[L24]") {
  WorkFolder work;
  RunLock lock;
  auto command = command_in(work);
  command.at_most = 1;
  const std::string sync = "+extensions.shared_params_auto_sync={every_n_batches: 1, staleness: ";
  command.train.arguments.push_back(sync + "0}");
  try {
    plan_of(command, lock);
    FAIL("it is planned");
  } catch (const ConfigError& e) {
    CHECK_THAT(e.sentences().front(), Contains("rounds need all 2 workers at once"));
  }
  command.train.arguments.back() = sync + "1}";
  CHECK_NOTHROW(plan_of(command, lock));
  command.train.arguments.back() = sync + "0}";
  command.at_most = 2;
  CHECK_NOTHROW(plan_of(command, lock));
  command.at_most = -1;
  CHECK_THROWS_AS(plan_of(command, lock), UsageError);
}

TEST_CASE("a launch with a missing model is refused before any process starts", "[L22]") {
  WorkFolder work;
  RunLock lock;
  auto command = command_in(work);
  command.train.arguments.emplace_back("model.load=" + (work.path() / "nope").string());
  CHECK_THROWS_WITH(plan_of(command, lock), Contains("nope', which does not exist"));
  CHECK(std::filesystem::is_empty(work.path()));
}

TEST_CASE("training.workers has no effect on a launch, which says so", "[L22]") {
  WorkFolder work;
  RunLock lock;
  auto command = command_in(work);
  CHECK(plan_of(command, lock).remarks.empty());
  command.train.arguments.emplace_back("training.workers=3");
  const auto remarks = plan_of(command, lock).remarks;
  REQUIRE(remarks.size() == 1);
  CHECK_THAT(remarks.front(),
             Contains("training.workers is 3") && Contains("has 2 workers, as -n says"));
}

TEST_CASE("a run that was not launched cannot be continued by a launch", "[T14]") {
  WorkFolder work;
  RunLock lock;
  auto command = command_in(work);
  const auto folder = work.path() / "alone";
  command.folder = folder.string();
  std::filesystem::create_directories(folder);
  write_file(folder / "config.yaml", "model: {name: mlp}\n");
  CHECK_THROWS_WITH(plan_of(command, lock),
                    Contains("not launched as a cluster") && Contains("train --resume"));
  CHECK(contents(folder / "config.yaml") == "model: {name: mlp}\n");
  std::filesystem::remove(folder / "config.yaml");
  CHECK(plan_of(command, lock).folder == folder); // an empty folder is accepted
  CHECK(plan_of(command, lock).folder == folder); // and is then the folder of a launched run
}

TEST_CASE("a worker that has already done more than configured has ended", "[T14]") {
  WorkFolder work;
  RunLock lock;
  auto command = command_in(work);
  command.folder = (work.path() / "own").string();
  plan_of(command, lock).unstarted->begin();
  for (const auto& [worker, epochs] : std::map<WorkerId, Epoch>{{0, 7}, {1, 3}}) {
    const auto own = folder_of_worker(command.folder, worker);
    std::filesystem::create_directories(own);
    std::filesystem::copy_file(work.path() / "own/config.yaml", own / "config.yaml");
    SavedRun run;
    run.trainers.push_back(trainer_after(epochs, command));
    save_run(own / saved_run_file, run);
  }
  command.train.arguments.emplace_back("training.epochs=5");
  CHECK(plan_of(command, lock).ended == std::map<int, std::string>{{0, "7 epochs are done"}});
  const auto before = contents(work.path() / "own/config.yaml");
  command.train.arguments.back() = "training.epochs=2";
  CHECK_THROWS_WITH(plan_of(command, lock), Contains("has nothing left to do"));
  CHECK(contents(work.path() / "own/config.yaml") == before);
}

TEST_CASE("only its own worker can resume from a worker's folder", "[T14]") {
  WorkFolder work;
  const auto own = work.path() / "run" / "worker-1";
  std::filesystem::create_directories(own);
  claim(own, {1, 2});
  ClusterMember member;
  member.worker = 1;
  member.workers = 2;
  CHECK_NOTHROW(check_claim(own, &member));
  member.worker = 0;
  CHECK_THROWS_AS(check_claim(own, &member), ConfigError);
  const auto refusal = [&] {
    try {
      check_claim(own, nullptr);
    } catch (const ConfigError& e) {
      return e.sentences().front();
    }
    return std::string{};
  };
  CHECK_THAT(refusal(), Contains("--folder " + own.string()));
  claim(work.path() / "run", {{}, 2, 1});
  CHECK_THAT(refusal(), Contains("`troupe launch --folder " + (work.path() / "run").string()));
  claim(own, {0, 1}); // it has trained on all data
  CHECK_NOTHROW(check_claim(own, nullptr));
}

TEST_CASE("an interrupted process prints how to continue it", "[T14][L9]") {
  CHECK(resume_hint("run", nullptr) == "continue with: troupe train --resume run");
  ClusterMember member;
  CHECK(resume_hint("run", &member) == "continue with the same command and --folder run");
  member.folder = "run";
  CHECK(resume_hint("run", &member) == "continue with the same command");
  member.folder_of_job = true;
  CHECK_THAT(resume_hint("run", &member), Contains("when it is requeued"));
  member.launched = true;
  CHECK(resume_hint("run", &member).empty());
}
