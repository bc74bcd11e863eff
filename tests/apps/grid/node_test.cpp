// The role of a node, and the state that it resumes from.
#include "apps/cluster/node_place.hpp"
#include "base/exit_codes.hpp"
#include "tests/support/program.hpp"

#include <catch2/catch.hpp>

using namespace troupe;
using namespace troupe::test;
using Catch::Contains;

namespace {

const auto refusal_code = static_cast<int>(ExitCode::configuration);

/// A shell with only these variables of launchers.
std::string with_environment(const std::string& variables) {
  return "env -u TF_CONFIG -u JOB_NAME -u RANK -u WORLD_SIZE " + variables + " \"$troupe\" ";
}

} // namespace

TEST_CASE("a node without a cluster in its environment trains alone", "[T1][T5][T6][T7][slow]") {
  const std::string variables
    = GENERATE("", "TF_CONFIG='{}'", "JOB_NAME=master TASK_INDEX=0",
               "RANK=0 WORLD_SIZE=1 MASTER_ADDR=127.0.0.1 MASTER_PORT=29999",
               "SLURM_JOB_ID=7 SLURM_STEP_ID=0 SLURM_PROCID=0 SLURM_NTASKS=1 "
               "SLURM_JOB_NODELIST=n1 SLURM_JOB_END_TIME=4294967294");
  INFO(variables);
  WorkFolder work;
  const auto ran
    = shell(work.path(), with_environment(variables)
                           + "node --json --no-progress training.epochs=1 " + small_digits);
  INFO(ran.error);
  REQUIRE(ran.code == 0);
  CHECK(json_text(ran.out, "outcome") == "finished");
  CHECK_THAT(ran.error, Contains("this process trains alone, as the master"));
  CHECK(std::filesystem::exists(work.path() / "runs/slurm-7.0/process-0/state.bin")
        == variables.starts_with("SLURM"));
}

TEST_CASE("with --cluster required an environment without a cluster is refused", "[T7]") {
  const std::string variables
    = GENERATE("", "TF_CONFIG='{}'", "RANK=0 WORLD_SIZE=1 MASTER_ADDR=127.0.0.1 MASTER_PORT=29999");
  WorkFolder work;
  const auto ran
    = shell(work.path(), with_environment(variables) + "node --cluster required " + small_digits);
  INFO(ran.error);
  CHECK(ran.code == refusal_code);
  CHECK_THAT(ran.error, Contains("a cluster is required"));
}

TEST_CASE("the option --last-worker-evaluates with --role is refused with the cure", "[T7]") {
  NodeCommand command;
  command.role = "worker";
  command.ps = "127.0.0.1:1";
  command.workers = "2";
  CHECK(place_in_cluster(command).is_worker());
  command.last_worker_evaluates = true;
  CHECK_THROWS_WITH(place_in_cluster(command),
                    Contains("this one has --role worker") && Contains("by --role evaluator"));
}

TEST_CASE("a node of a cluster needs its role", "[T7]") {
  WorkFolder work;
  const std::string others = GENERATE("--ps 127.0.0.1:1", "cluster.ps=[127.0.0.1:1]");
  const auto ran = shell(work.path(), with_environment("") + "node " + others);
  CHECK(ran.code == refusal_code);
  CHECK_THAT(ran.error, Contains("does not know its role"));
}

TEST_CASE("with --last-worker-evaluates each process finds its role among the others",
          "[T10][T11]") {
  const std::vector<std::pair<std::string, std::string>> places{
    {"master", "master 0, trains on shard 0 of 0 to 1"},
    {"worker", "worker 0, trains on shard 1 of 0 to 1"},
    {"worker", "worker 1, the evaluator, reads the whole evaluation set"},
  };
  WorkFolder work;
  for (const auto& [type, sentence] : places) {
    const auto index = sentence.substr(type.size() + 1, 1);
    const auto ran = shell(
      work.path(),
      with_environment(
        "TF_CONFIG='{\"cluster\": {\"ps\": [\"127.0.0.1:1\"], \"master\": [\"127.0.0.1:2\"], "
        "\"worker\": [\"127.0.0.1:3\", \"127.0.0.1:4\"]}, \"task\": {\"type\": \""
        + type + "\", \"index\": " + index + "}}'")
        + "node --last-worker-evaluates --insecure training.no_such=1"); // so that it ends at once
    INFO(ran.error);
    CHECK(ran.code == refusal_code);
    CHECK_THAT(ran.error, Contains("2 processes train, the last worker evaluates"));
    CHECK_THAT(ran.error, Contains("this process: " + sentence));
  }
}

TEST_CASE("an invalid place in a cluster is refused before any connection", "[T8]") {
  const std::string ps = " --ps 127.0.0.1:1 --insecure --join-deadline 1 ";
  const std::vector<std::pair<std::string, std::string>> mistakes{
    {"worker --index -1 --master --workers 2", "--index -1"},
    {"worker --index -1 --workers 3", "--index -1"},
    {"worker --index 3 --workers 3", "there are 3 of role worker, so give 0 to 2"},
    {"worker --index 2 --workers 2 --master", "so give 0 to 1"},
    {"worker --index 1", "there is 1 worker"},
    {"master --index 1 --workers 2", "there is 1 master"},
    {"evaluator --index 9 --workers 2", "there is 1 evaluator"},
    {"evaluator", "an evaluator needs --workers"},
    {"ps --index 7", "there is 1 ps"},
    {"worker --workers 0", "--workers 0"},
    {"worker --workers 1000001", "--workers 1000001"},
    {"worker --workers 99999999999", "--workers 99999999999"},
    {"worker --workers 2x", "no address"},
    {"overseer", "is not a role"},
  };
  WorkFolder work;
  for (const auto& [place, sentence] : mistakes) {
    INFO(place);
    const auto ran = troupe_program(work.path(), "node --role " + place + ps);
    INFO(ran.error);
    CHECK(ran.code == refusal_code);
    CHECK_THAT(ran.error, Contains(sentence));
  }
  for (const auto* place : {"worker --ps 127.0.0.1:0", "ps --ps 'two words:0'",
                            "ps --ps 127.0.0.1:20000,127.0.0.1:0", "worker"})
    CHECK(troupe_program(work.path(), std::string{"node --insecure --role "} + place).code
          == refusal_code);
}

TEST_CASE("a worker resumes from the state in its folder", "[T14][L9][slow]") {
  WorkFolder work;
  const auto ran = shell(
    work.path(),
    "\"$troupe\" node --role ps --ps 127.0.0.1:0 --insecure --keep-running --port-file port "
    ">holder.log 2>&1 & holder=$!; while [ ! -e port ]; do sleep 0.05; done; "
    "train() { \"$troupe\" node --role worker --workers 1 --ps 127.0.0.1:$(cat port) --insecure -q "
    "--json --folder own "
      + small_digits
      + "\"$@\"; }; train training.epochs=1 >first && train training.epochs=2 >second; code=$?; "
        "train training.epochs=2; again=$?; kill -TERM $holder; wait $holder; "
        "[ $code = 0 ] || exit $code; exit $again");
  INFO(ran.error);
  CHECK(ran.code == refusal_code); // all is done
  CHECK_THAT(ran.error, Contains("resuming from own/state.bin"));
  CHECK_THAT(ran.error, Contains("the run has nothing left to do"));
  const auto log = contents(work.path() / "own/log.jsonl");
  CHECK_THAT(log, Contains("resumed"));
  CHECK_THAT(contents(work.path() / "second"), Contains("\"epochs\":2"));
}
