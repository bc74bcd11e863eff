#include "apps/cluster/evaluation_node.hpp"
#include "base/exit_codes.hpp"
#include "tests/support/program.hpp"

#include <catch2/catch.hpp>
#include <nlohmann/json.hpp>

using namespace troupe;
using namespace troupe::test;

namespace {

/// A holder in the background, and its address in $ps.
const std::string holder
  = "\"$troupe\" node --role ps --ps 127.0.0.1:0 --insecure --port-file port >holder.log 2>&1 & "
    "holder=$!; while [ ! -e port ]; do sleep 0.05; done; ps=127.0.0.1:$(cat port); ";

/// Waits until the evaluator has joined and printed that no worker has.
const std::string until_it_waits
  = "for i in $(seq 600); do grep -q 'no worker has joined yet' evaluator.log && break; sleep 0.1; "
    "done; ";

nlohmann::json result_in(const std::filesystem::path& folder) {
  return nlohmann::json::parse(contents(folder / "result.json"));
}

} // namespace

TEST_CASE("a launched evaluator evaluates during training, and ends with the workers",
          "[evaluation_node][T20][T22][slow]") {
  WorkFolder work;
  const auto ran = troupe_program(work.path(), "launch -n 2 --evaluator --json training.epochs=100 "
                                                 + small_digits);
  INFO(ran.error);
  REQUIRE(ran.code == 0);
  CHECK(nlohmann::json::parse(ran.out)["outcome"] == "finished");
  CHECK(ran.error.find("[evaluator] ") != std::string::npos);
  const auto run = ran.error.substr(ran.error.rfind("\nrun ") + 5);
  const auto folder = work.path() / run.substr(0, run.find('\n')) / "evaluator";
  const auto result = result_in(folder);
  REQUIRE(result["measured"] >= 1);
  CHECK(result["last"]["version"] >= result["best"]["version"]);
  CHECK(result["last"]["validation"].contains("loss"));
  CHECK(contents(folder / "log.jsonl").find("\"evaluated_version\"") != std::string::npos);
}

TEST_CASE("an evaluator started first opens no port, and evaluates the last version",
          "[evaluation_node][T9][T22][slow]") {
  WorkFolder work;
  const auto ran = shell(
    work.path(),
    holder
      + "\"$troupe\" node --role evaluator --workers 1 --ps $ps --insecure --folder evaluator "
        "cluster.lease=30 " // the holder waits for a worker that stalls briefly
      + small_digits + ">evaluator.log 2>&1 & evaluator=$!; " + until_it_waits
      + "ls -l /proc/$evaluator/fd >descriptors; "
        "grep -h ' 0A ' /proc/$evaluator/net/tcp /proc/$evaluator/net/tcp6 >listening; "
        "\"$troupe\" node --role worker --workers 1 --ps $ps --insecure -q --folder worker "
        "training.epochs=2 "
      + small_digits + "|| kill $evaluator; wait $evaluator; code=$?; wait $holder; exit $code");
  INFO(contents(work.path() / "evaluator.log"));
  REQUIRE(ran.code == 0);
  const auto result = result_in(work.path() / "evaluator");
  CHECK(result["reason"] == "all workers have left");
  const auto log = contents(work.path() / "holder.log");
  CHECK(log.find("(version " + result["last"]["version"].dump() + ")") != std::string::npos);
  // The process listens if one of its descriptors refers to a listening socket's inode.
  const auto descriptors = contents(work.path() / "descriptors");
  std::istringstream listening{contents(work.path() / "listening")};
  for (std::string line; std::getline(listening, line);) {
    std::istringstream columns{line};
    std::string inode;
    for (auto column = 0; column < 10; ++column)
      columns >> inode;
    CHECK(descriptors.find("socket:[" + inode + "]") == std::string::npos);
  }
}

TEST_CASE("an evaluator ends normally on a signal, and the holder stays",
          "[evaluation_node][slow]") {
  WorkFolder work;
  const auto ran
    = shell(work.path(),
            holder + "\"$troupe\" node --role evaluator --workers 2 --ps $ps --insecure --json "
              + small_digits + ">evaluator.json 2>evaluator.log & evaluator=$!; " + until_it_waits
              + "kill -HUP $evaluator; kill -TERM $evaluator; wait $evaluator; code=$?; sleep 1.5; "
                "kill -TERM $holder || exit 1; wait $holder; exit $code");
  INFO(contents(work.path() / "evaluator.log"));
  CHECK(ran.code == static_cast<int>(ExitCode::stopped_early));
  const auto result = nlohmann::json::parse(contents(work.path() / "evaluator.json"));
  CHECK(result["outcome"] == "interrupted");
  CHECK(result["measured"] == 0);
}

TEST_CASE("an evaluator without a holder prints where it waits for one, and gives up",
          "[evaluation_node][T12][slow]") {
  WorkFolder work;
  const auto ran = troupe_program(
    work.path(), "node --role evaluator --workers 2 --ps 127.0.0.1:1 --insecure --join-deadline 3 "
                   + small_digits);
  CHECK(ran.code == static_cast<int>(ExitCode::unavailable));
  CHECK(ran.error.find("waits for the parameter holder") != std::string::npos);
}

TEST_CASE("the command line sets an evaluator's section, interval and limit",
          "[evaluation_node][T22][T23]") {
  const auto asked = evaluator_options({.every = 5, .idle_limit = 3, .section = "test"});
  CHECK(asked.section == Section::test);
  CHECK(asked.queue.every == 5);
  CHECK(asked.queue.idle_limit == 3);
  const auto usual = evaluator_options({});
  CHECK(usual.section == Section::validation);
  CHECK(usual.queue.every == 1);
  CHECK(usual.queue.idle_limit == 0);
}

TEST_CASE("invalid options of an evaluator are refused before it starts", "[evaluation_node]") {
  WorkFolder work;
  const auto start = [&](const std::string& words) {
    return troupe_program(work.path(), "node --role evaluator --insecure " + words);
  };
  CHECK(start("--ps 127.0.0.1:1").error.find("--workers") != std::string::npos);
  CHECK(start("--ps 127.0.0.1:1 --workers 2 --every 0").code == static_cast<int>(ExitCode::usage));
  CHECK(start("--ps 127.0.0.1:1 --workers 2 --section tset").code
        == static_cast<int>(ExitCode::usage));
  CHECK(start("--ps 127.0.0.1:1 --workers 2 problem.validation=0").code
        == static_cast<int>(ExitCode::configuration));
}
