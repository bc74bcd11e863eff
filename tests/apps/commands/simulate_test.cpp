// Simulated clusters, run by the program.
#include "tests/support/data_files.hpp"
#include "tests/support/program.hpp"

#include <catch2/catch.hpp>
#include <nlohmann/json.hpp>

#include <filesystem>

using namespace troupe;
using namespace troupe::test;
using Catch::Contains;

namespace {

const std::string small_run = "problem.train=480 problem.validation=50 problem.test=50 "
                              "'model.hidden=[8]' training.seed=5 training.epochs=2 "
                              "training.batch_size=16 ";
const std::string in_rounds = "extensions.shared_params_rate_limited=false "
                              "'+extensions.shared_params_auto_sync={every_n_batches: 3, rule: "
                              "average, staleness: 0}' ";

nlohmann::json simulated(const WorkFolder& work, const std::string& words) {
  const auto ran = troupe_program(work.path(), "simulate --json -q " + small_run + words);
  INFO(ran.error);
  REQUIRE(ran.code == 0);
  return nlohmann::json::parse(ran.out);
}

} // namespace

TEST_CASE("the same seed repeats a simulation to the last bit, including its failures", "[R10]") {
  WorkFolder work;
  const std::string accidents
    = "-n 3 --step 0.05,0.05,0.1 --latency 40 --jitter 3 --loss 0.05 --cut 1:0.5:0.8 "
      "--kill 2:0.8 --trace ";
  const auto first = simulated(work, accidents + "first.txt");
  const auto second = simulated(work, accidents + "second.txt");
  CHECK(first["fingerprint"] == second["fingerprint"]);
  CHECK(first["messages"] > 30);
  const auto trace = contents(work.path() / "first.txt");
  CHECK_THAT(trace, Contains("worker 0 -> holder 0: Exchange") && Contains("worker 2 is killed")
                      && Contains("lost"));
  CHECK(trace == contents(work.path() / "second.txt"));
  const auto other = simulated(work, accidents + "third.txt --network-seed 6");
  CHECK(other["fingerprint"] != first["fingerprint"]);
}

TEST_CASE("rounds train to the same bits in one process and in a simulated cluster", "[L8]") {
  WorkFolder work;
  const auto one
    = troupe_program(work.path(), "train --json -q training.workers=2 " + small_run + in_rounds);
  REQUIRE(one.code == 0);
  const auto cluster = simulated(work, "-n 2 -p 2 --jitter 2 --step 0.01,0.03 " + in_rounds);
  CHECK(cluster["parameters"] == nlohmann::json::parse(one.out)["parameters"]);
}

TEST_CASE("fragments train to the same bits in one process and in a simulated cluster", "[L8]") {
  WorkFolder work;
  const std::string fragments = "extensions.shared_params_rate_limited=false "
                                "'+extensions.shared_params_auto_sync={every_n_batches: 2, rule: "
                                "outer_nesterov, staleness: 0, fragments: 3}' ";
  const auto one
    = troupe_program(work.path(), "train --json -q training.workers=2 " + small_run + fragments);
  REQUIRE(one.code == 0);
  const auto cluster = simulated(work, "-n 2 -p 2 --jitter 2 --step 0.01,0.03 " + fragments);
  CHECK(cluster["parameters"] == nlohmann::json::parse(one.out)["parameters"]);
}

TEST_CASE("rounds that overlap with training end with the same bits on any network, and sooner",
          "[L8]") {
  WorkFolder work;
  const auto overlap = [](const std::string& wanted) {
    return "extensions.shared_params_rate_limited=false "
           "'+extensions.shared_params_auto_sync={every_n_batches: 2, rule: average, staleness: "
           "0, fragments: 3, overlap: "
           + wanted + "}' ";
  };
  const std::string slow = "-n 2 --step 0.1 --latency 90 --bandwidth inf ";
  const auto quick = simulated(work, "-n 2 --step 0.1 --latency 0 " + overlap("true"));
  const auto hidden = simulated(work, slow + overlap("true"));
  const auto lossy = simulated(
    work, "-n 2 -p 2 --step 0.1,0.13 --latency 20 --jitter 30 --loss 0.1 " + overlap("true"));
  CHECK(hidden["parameters"] == quick["parameters"]);
  CHECK(lossy["parameters"] == quick["parameters"]);
  const auto seconds
    = [](const nlohmann::json& run) { return run["workers"][0]["seconds"].get<double>(); };
  const auto batches = 2 * 480 / 2 / 16; // of each of two
  // An exchange of 0.18 s lies within the 0.2 s between two syncs; joining and leaving take 8 more.
  CHECK(seconds(hidden) < batches * 0.1 + 8 * 0.18 + 0.01);
  CHECK(seconds(simulated(work, slow + overlap("false"))) > batches * (0.1 + 0.18 / 2));
}

TEST_CASE("an outage while a sync overlaps with training neither loses nor repeats it", "[R10]") {
  WorkFolder work;
  const std::string accidents
    = "-n 3 --step 0.05,0.05,0.1 --latency 40 --jitter 3 --loss 0.05 --cut 1:0.5:0.8 --kill 2:0.8 "
      "extensions.shared_params_rate_limited=false "
      "'+extensions.shared_params_auto_sync={every_n_batches: 2, rule: downpour, fragments: 3, "
      "overlap: true, staleness: unbounded}' ";
  const auto first = simulated(work, accidents);
  CHECK(first["workers"][0]["outcome"] == "finished");
  CHECK(first["workers"][1]["outcome"] == "finished");
  CHECK(first["fingerprint"] == simulated(work, accidents)["fingerprint"]);
}

TEST_CASE("in rounds a slow worker or link delays the others by the expected time", "[L16]") {
  WorkFolder work;
  const auto seconds = [&](const std::string& words) {
    return simulated(work, words + in_rounds)["workers"][0]["seconds"].get<double>();
  };
  const auto batches = 2 * 480 / 2 / 16; // of each of two
  CHECK(seconds("-n 2 --step 0.1 --latency 0 --bandwidth inf ") == Approx(batches * 0.1));
  CHECK(seconds("-n 2 --step 0.1,0.2 --latency 0 --bandwidth inf ") == Approx(batches * 0.2));
  // 10 rounds after one pull of the first parameters; each round trip takes 2 s
  CHECK(seconds("-n 2 --step 0.1 --latency 1000 --bandwidth inf ")
        > batches * 0.1 + batches / 3 * 2.0 - 0.01);
}

TEST_CASE("the others train on without a killed worker", "[L9]") {
  WorkFolder work;
  const auto run = simulated(work, "-n 3 --step 0.1 --kill 0:0.35 " + in_rounds);
  CHECK(run["workers"][0]["killed"] == true);
  for (const auto worker : {1, 2}) {
    CHECK(run["workers"][worker]["outcome"] == "finished");
    CHECK(run["workers"][worker]["batches"] == 20);
  }
  CHECK(run["test"].contains("accuracy")); // by the worker that is main now
}

TEST_CASE("a worker that ends before its kill keeps its results", "[L9]") {
  WorkFolder work;
  const auto run = simulated(work, "-n 2 --step 0.05,0.2 --kill 0:2.5 ");
  CHECK(run["workers"][0]["killed"] == false);
  CHECK(run["workers"][0]["batches"] == 30);
}

TEST_CASE("parameters that the wire format cannot represent end a simulation with a message",
          "[L8]") {
  WorkFolder work;
  const auto ran = troupe_program(
    work.path(), "simulate -q " + small_run
                   + "training.nan=ignore optimizer.learning_rate=1e30 cluster.wire.format=int8 "
                     "extensions.shared_params_rate_limited=false "
                     "'+extensions.shared_params_auto_sync={every_n_batches: 3, rule: downpour, "
                     "staleness: unbounded}'");
  CHECK(ran.code == 70);
  CHECK_THAT(ran.error, Contains("parameters cannot be sent"));
}

TEST_CASE("a simulated run has the files of a launched run", "[L22]") {
  WorkFolder work;
  const auto run = simulated(work, "-n 2");
  const auto folder = work.path() / run["run"].get<std::string>();
  CHECK(nlohmann::json::parse(contents(folder / "simulation.json")) == run);
  for (const auto* worker : {"worker-0", "worker-1"})
    for (const auto* file : {"config.yaml", "log.jsonl", "result.json", "state.bin"}) {
      INFO(worker << "/" << file);
      CHECK(std::filesystem::file_size(folder / worker / file) > 0);
    }
  CHECK(troupe_program(work.path(), "plot " + folder.string() + " -o curves.svg").code == 0);
}

TEST_CASE("only the first workers of a simulation leave files, and the others change nothing",
          "[L22]") {
  WorkFolder work;
  const auto some = simulated(work, "-n 4 --files 1 --trace some.txt ");
  const auto all = simulated(work, "-n 4 --trace all.txt ");
  CHECK(some["fingerprint"] == all["fingerprint"]);
  CHECK(some["workers"] == all["workers"]);
  CHECK(contents(work.path() / "some.txt") == contents(work.path() / "all.txt"));
  const auto folder = work.path() / some["run"].get<std::string>();
  CHECK(std::filesystem::exists(folder / "worker-0" / "state.bin"));
  CHECK_FALSE(std::filesystem::exists(folder / "worker-1"));
  CHECK(contents(folder / "worker-0" / "log.jsonl").size() > 0);
}

TEST_CASE("all workers of a simulation leave files if an extension writes its own", "[L22]") {
  WorkFolder work;
  const auto run = simulated(work, "-n 2 --files 1 extensions.statistics=true ");
  const auto folder = work.path() / run["run"].get<std::string>();
  CHECK(std::filesystem::exists(folder / "worker-1" / "state.bin"));
}

TEST_CASE("an invalid simulation is refused before any file is created", "[R20]") {
  WorkFolder work;
  const auto refused = [&](const std::string& words, int code) {
    const auto ran = troupe_program(work.path(), "simulate " + words);
    INFO(words);
    CHECK(ran.code == code);
    return ran.error;
  };
  CHECK_THAT(refused("-n 1", 2), Contains("2 workers or more"));
  CHECK_THAT(refused("--cut 5:1:2", 2), Contains("no worker '5'") && Contains("0 to 1"));
  CHECK_THAT(refused("--cut ps1:1:2", 2), Contains("no holder '1'"));
  CHECK_THAT(refused("--cut 1:2", 2), Contains("WORKER:FROM:UNTIL"));
  CHECK_THAT(refused("--cut 1:3:2", 2), Contains("ends before it begins"));
  CHECK_THAT(refused("--kill 1:soon", 2), Contains("'soon' is not a time"));
  CHECK_THAT(refused("--kill 1", 2), Contains("WORKER:AT"));
  CHECK_THAT(refused("--step 1,2,3", 2), Contains("3 times for 2 workers"));
  CHECK_THAT(refused("--step 0", 2), Contains("greater than 0"));
  CHECK_THAT(refused("--loss 1", 2), Contains("the loss"));
  CHECK_THAT(refused("--files 0", 2), Contains("1 or more"));
  CHECK_THAT(refused("training.loader.ahead=2", 78), Contains("its own thread"));
  CHECK_THAT(refused("control.address=127.0.0.1:0", 78),
             Contains("a simulation has no remote control"));
  CHECK_THAT(refused("training.workers=4 model.load=nowhere", 74), Contains("as -n says"));
  CHECK_THAT(refused("model.load=nowhere", 74), Contains("nowhere"));
  CHECK_THAT(refused("--trace no/folder/trace.txt", 74), Contains("no/folder/trace.txt"));
  CHECK_FALSE(std::filesystem::exists(work.path() / "runs"));
}

TEST_CASE("Ctrl-C ends a simulation with a message and leaves no half-written line", "[B11][L22]") {
  WorkFolder work;
  const auto ran = shell(
    work.path(),
    "\"$troupe\" simulate --no-progress --trace trace.txt problem.train=200000 training.epochs=99 "
    "problem.validation=50 problem.test=50 'model.hidden=[8]' >out 2>err & program=$!\n"
    "until test -s trace.txt; do sleep 0.02; done\n"
    "kill -INT $program; wait $program; echo $?");
  CHECK(ran.out == "130\n");
  CHECK_THAT(contents(work.path() / "err"), Contains("interrupted: the simulation ends here, "));
  CHECK(contents(work.path() / "out").empty());
  CHECK(contents(work.path() / "trace.txt").back() == '\n');
}
