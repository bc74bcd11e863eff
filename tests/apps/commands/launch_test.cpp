#include "apps/transport/certificates.hpp"
#include "base/failure.hpp"
#include "tests/support/program.hpp"

#include <catch2/catch.hpp>
#include <nlohmann/json.hpp>
#include <sys/stat.h>

using namespace troupe;
using namespace troupe::test;

TEST_CASE("a launched cluster trains and ends when its workers end", "[L8][L22][L23][T24][slow]") {
  WorkFolder work;
  const auto ran
    = troupe_program(work.path(), "launch -n 2 --json training.epochs=3 " + small_digits);
  INFO(ran.error);
  REQUIRE(ran.code == 0);
  const auto result = nlohmann::json::parse(ran.out);
  CHECK(result["outcome"] == "finished");
  CHECK(ran.error.find("(mutual TLS)") != std::string::npos);
  CHECK(ran.error.find("[worker-1] ") != std::string::npos);
  CHECK(ran.error.find("parameter holder ends after") != std::string::npos);
}

TEST_CASE("a launched cluster prints its results to standard output, and with -q nothing else",
          "[L22][slow]") {
  WorkFolder work;
  const auto ran
    = troupe_program(work.path(), "launch -q --folder run -n 2 training.epochs=2 " + small_digits);
  CHECK(ran.code == 0);
  CHECK(ran.error.empty());
  CHECK_THAT(ran.out, Catch::Contains("test accuracy")
                        && Catch::Contains("trained          2 epochs")
                        && Catch::EndsWith("run/worker-0\n"));
  const auto again
    = troupe_program(work.path(), "launch -q --folder run training.epochs=1 " + small_digits);
  CHECK(again.code == static_cast<int>(ExitCode::configuration));
  CHECK_THAT(again.error, Catch::Contains("nothing left to do: 2 epochs are done")
                            && Catch::Contains("training.epochs=12"));
}

TEST_CASE("when the main worker of a launched cluster stops early, the others end with it",
          "[B41][L8][L22][slow]") {
  WorkFolder work;
  const auto ran = troupe_program(
    work.path(), "launch -n 2 --json training.epochs=1000000 "
                 "'extensions.early_stopping={record: validation_loss, choose: max, epochs: 2}' "
                   + small_digits);
  INFO(ran.error);
  REQUIRE(ran.code == 0);
  CHECK_THAT(nlohmann::json::parse(ran.out)["reason"].get<std::string>(),
             Catch::Contains("validation_loss_best_so_far"));
  // A worker that does not run for seconds rightly counts as lost.
  CHECK_THAT(ran.error, !Catch::Contains("worker 1 is main now") || Catch::Contains("not renewed"));
}

TEST_CASE("a launched cluster fails when one of its processes fails, and leaves no process",
          "[L22][slow]") {
  WorkFolder work;
  const auto ran
    = troupe_program(work.path(), "launch -n 2 --grace 5 training.epochs=3 optimizer.name=sgd "
                                  "optimizer.learning_rate=1e38 "
                                    + small_digits);
  INFO(ran.error);
  CHECK(ran.code == static_cast<int>(ExitCode::internal));
  CHECK(ran.error.find("not finite") != std::string::npos);
  CHECK_THAT(ran.error,
             Catch::Contains("(3 of 3 restarts within 60 s)")
               && Catch::Contains("(--restarts) is reached; the others are asked to end"));
  CHECK_THAT(ran.error, Catch::Contains("has ended the run; its last line: "));
}

TEST_CASE(
  "the option --at-most limits the workers that run at the same time, and the others follow",
  "[L24][slow]") {
  WorkFolder work;
  const auto ran = troupe_program(
    work.path(), "launch -n 3 --at-most 1 --insecure training.epochs=1 " + small_digits);
  INFO(ran.error);
  REQUIRE(ran.code == 0);
  // The lines of a worker come before those of the next.
  const auto first_ends = ran.error.find("[worker-0] run ");
  const auto second_begins = ran.error.find("[worker-1] "),
             second_ends = ran.error.find("[worker-1] run ");
  const auto third_begins = ran.error.find("[worker-2] ");
  REQUIRE(third_begins != std::string::npos);
  CHECK(first_ends < second_begins);
  CHECK(second_ends < third_begins);
}

TEST_CASE("a launched cluster saves before its walltime is over, and continues in its folder",
          "[L21][L22][T14][slow]") {
  WorkFolder work;
  const auto early
    = troupe_program(work.path(), "launch -n 2 --walltime 0:01:00 --folder own training.epochs=0 "
                                  "cluster.grace=55 "
                                    + small_digits);
  INFO(early.error);
  REQUIRE(early.code == static_cast<int>(ExitCode::stopped_early));
  CHECK_THAT(early.error, Catch::Contains("continue with: troupe launch --folder own"));
  CHECK_THAT(early.error, !Catch::Contains("train --resume"));
  REQUIRE(std::filesystem::exists(work.path() / "own/worker-1/state.bin"));
  const auto alone = troupe_program(work.path(), "train --resume own/worker-1");
  CHECK(alone.code == static_cast<int>(ExitCode::configuration));
  CHECK_THAT(alone.error, Catch::Contains("troupe launch --folder ") && Catch::Contains("/own`"));
  const auto whole = troupe_program(work.path(), "train --resume own");
  CHECK_THAT(whole.error, Catch::Contains("troupe launch --folder own"));

  const auto more = troupe_program(work.path(), "launch --folder own --json training.epochs=100000 "
                                                "+extensions.stop_after_time_elapsed.total_duration"
                                                "=1s");
  INFO(more.error);
  REQUIRE(more.code == 0); // the time of the earlier run counts, too
  CHECK_THAT(more.error, Catch::Contains("resuming from own/worker-1/state.bin"));
  CHECK_THAT(more.error, Catch::Contains("parameter holder resumes from version"));
  const auto wrong = troupe_program(work.path(), "launch -n 3 --folder own");
  CHECK(wrong.code == static_cast<int>(ExitCode::usage));
}

TEST_CASE("a launched cluster saves on a scheduler's signal even if its output is not read",
          "[L22][T14][slow]") {
  WorkFolder work;
  const auto ran
    = shell(work.path(), "mkfifo lines; head -n 1 lines >first & reader=$!\n"
                         "\"$troupe\" launch -n 2 --folder own training.epochs=0 "
                           + small_digits
                           + ">lines 2>&1 & program=$!\n"
                             "until [ -e own/worker-0/checkpoint.bin ] && grep -q training_loss "
                             "own/worker-1/log.jsonl 2>missing; do sleep 0.05; done\n"
                             "wait $reader; kill -USR1 $program; wait $program; echo $?");
  CHECK(ran.out == "75\n");
  for (const auto* saved :
       {"own/worker-0/state.bin", "own/worker-1/state.bin", "own/holder-0/holder.bin"})
    CHECK(std::filesystem::exists(work.path() / saved));
}

TEST_CASE("a worker that is signalled before it has joined does not keep the others from resuming",
          "[L22][T14][slow]") {
  WorkFolder work;
  const auto ran = shell(
    work.path(),
    "\"$troupe\" launch -n 2 --folder own training.epochs=0 " + small_digits
      + "2>lines & program=$!\n"
        "while kill -0 $program && [ -z \"$late\" ]; do\n"
        "  for child in $(cat /proc/$program/task/*/children); do\n"
        "    grep -q own/worker-1 /proc/$child/cmdline && late=$child\n"
        "  done\n"
        "done 2>others\n"
        "kill -STOP $late\n"
        "until [ -e own/worker-0/checkpoint.bin ] || ! kill -0 $program; do sleep 0.05; done\n"
        "kill -USR1 $program\n"
        "until [ -e own/worker-0/state.bin ] || ! kill -0 $program; do sleep 0.05; done\n"
        "kill -CONT $late; wait $program; echo $?");
  CHECK_THAT(ran.out, Catch::EndsWith("\n75\n"));
  const auto more = troupe_program(work.path(), "launch --folder own training.epochs=100000 "
                                                "+extensions.stop_after_time_elapsed.total_duration"
                                                "=1s");
  INFO(more.error);
  CHECK(more.code == 0);
  CHECK(std::filesystem::exists(work.path() / "own/worker-1/state.bin"));
}

TEST_CASE("each worker of a killed launched run continues from its own checkpoint",
          "[L22][T14][slow]") {
  WorkFolder work;
  const auto launched = [&work](const std::string& words) {
    return troupe_program(work.path(), "launch --folder own " + words);
  };
  const auto first = launched("-n 2 training.epochs=2 " + small_digits);
  INFO(first.error);
  REQUIRE(first.code == 0);
  for (const std::string worker : {"own/worker-0", "own/worker-1"}) // a killed worker leaves none
    for (const auto* file : {"/state.bin", "/result.json"})
      std::filesystem::remove(work.path() / (worker + file));
  const auto more = launched("training.epochs=3");
  INFO(more.error);
  CHECK(more.code == 0);
  for (const std::string worker : {"own/worker-0", "own/worker-1"})
    CHECK_THAT(more.error, Catch::Contains("resuming from " + worker + "/checkpoint.bin"));
}

TEST_CASE("a resumed launched run reads tables as before, including its evaluator",
          "[fit][L22][slow]") {
  WorkFolder work;
  const auto write = [&work](const std::string& name, const std::vector<std::string>& classes) {
    std::ofstream table(work.path() / name);
    table << "x,y,kind\n";
    for (std::size_t i = 0; i < 120; ++i)
      table << i % 7 << "," << i % 3 << "," << classes[i % classes.size()] << "\n";
  };
  write("all.csv", {"ant", "bee", "cat"});
  write("fewer.csv", {"bee", "cat"});
  const auto launched = [&work](const std::string& words) {
    return troupe_program(work.path(), "launch --evaluator --folder own " + words);
  };
  const auto first
    = launched("-n 2 training.epochs=2 problem.name=csv problem.path=all.csv model.hidden='[4]'");
  INFO(first.error);
  REQUIRE(first.code == 0);
  const auto config = contents(work.path() / "own/config.yaml");
  const auto refused = launched("training.epochs=4 problem.label=x");
  CHECK(refused.code == static_cast<int>(ExitCode::configuration));
  CHECK(contents(work.path() / "own/config.yaml") == config);
  const auto more = launched("training.epochs=4 problem.path=fewer.csv");
  INFO(more.error);
  CHECK(more.code == 0);
  CHECK_THAT(more.error, !Catch::Contains("failed"));
}

TEST_CASE("a worker that finds no parameter holder says where it looked for one", "[T12][slow]") {
  WorkFolder work;
  const auto ran = troupe_program(
    work.path(), "node --role worker --index 0 --workers 2 --ps 127.0.0.1:1 --insecure "
                 "--join-deadline 2.5 "
                   + small_digits);
  CHECK(ran.code == static_cast<int>(ExitCode::unavailable));
  CHECK(ran.error.find("waiting for the parameter holder at 127.0.0.1:1") != std::string::npos);
}

TEST_CASE("a node refuses to start without certificates, except on loopback with --insecure",
          "[node]") {
  WorkFolder work;
  const auto bare = troupe_program(work.path(), "node --role ps --ps 127.0.0.1:0");
  CHECK(bare.code == static_cast<int>(ExitCode::configuration));
  const auto open = troupe_program(work.path(), "node --role ps --ps 0.0.0.0:20000 --insecure");
  CHECK(open.code == static_cast<int>(ExitCode::configuration));
  CHECK(open.error.find("loopback") != std::string::npos);
}

TEST_CASE("a certificate is valid only for the authority that signed it", "[certs]") {
  WorkFolder work;
  const auto folder = work.path() / "certs", other = work.path() / "other";
  make_authority(folder);
  make_authority(other);
  const auto identity = make_identity(folder, "worker-0");
  CHECK(defect_of(identity).empty());

  struct stat status {};
  REQUIRE(stat(identity.key.c_str(), &status) == 0);
  CHECK((status.st_mode & 0777) == 0600);

  auto foreign = identity;
  foreign.authority = other / "ca.pem";
  CHECK(defect_of(foreign).find("not signed by the authority") != std::string::npos);
  CHECK(defect_of(make_identity(folder, "old", -1)).find("expired") != std::string::npos);
  CHECK(defect_of(identity_in(folder, "absent")).find("cannot be read") != std::string::npos);
  CHECK_THROWS_AS(make_authority(folder), ConfigError);
  CHECK_THROWS_AS(make_identity(folder, "worker-0"), ConfigError);
  chmod(identity.key.c_str(), 0644);
  CHECK(defect_of(identity).find("can be read by others") != std::string::npos);
}

TEST_CASE("a holder refuses a client without a certificate of its authority", "[R14][slow]") {
  WorkFolder work;
  make_authority(work.path() / "ours");
  make_authority(work.path() / "theirs");
  make_identity(work.path() / "ours", "ps-0");
  make_identity(work.path() / "theirs", "worker-0");
  const auto ran = shell(
    work.path(),
    "\"$troupe\" node --role ps --ps 127.0.0.1:0 --certs ours --port-file port >holder.log 2>&1 & "
    "holder=$!; while [ ! -e port ]; do sleep 0.05; done; "
    "\"$troupe\" node --role worker --index 0 --workers 2 --ps 127.0.0.1:$(cat port) --certs "
    "theirs "
    "--join-deadline 2 -q training.epochs=1 "
      + small_digits + "; code=$?; kill -TERM $holder; wait $holder; exit $code");
  INFO(ran.error);
  CHECK(ran.code == static_cast<int>(ExitCode::unavailable));
  CHECK(contents(work.path() / "holder.log").find("after 0 pushes") != std::string::npos);
}

TEST_CASE("an infinite join deadline is refused", "[T12][node]") {
  WorkFolder work;
  for (const std::string deadline : {"nan", "inf", "-1", "0"})
    for (const std::string node : {"node --role worker --index 0 --workers 2 --ps 127.0.0.1:1",
                                   "grid node --connect 127.0.0.1:1"}) {
      const auto ran
        = troupe_program(work.path(), node + " --insecure --join-deadline=" + deadline);
      INFO(node << " " << deadline << " " << ran.error);
      CHECK(ran.code == static_cast<int>(ExitCode::usage));
      CHECK(ran.error.find("--join-deadline " + deadline) != std::string::npos);
    }
}

TEST_CASE("a worker that is stopped while it waits for its holder says so", "[T12][slow]") {
  WorkFolder work;
  const auto ran = shell(
    work.path(), "\"$troupe\" node --role worker --index 0 --workers 2 --ps 127.0.0.1:1 --insecure "
                   + small_digits
                   + "2>errors & node=$!; for i in $(seq 600); do grep -q 'waiting for the' errors "
                     "&& break; sleep 0.05; done; kill -TERM $node; wait $node");
  const auto errors = contents(work.path() / "errors");
  INFO(errors);
  CHECK(ran.code == static_cast<int>(ExitCode::interrupted));
  CHECK(errors.find("interrupted while waiting for the parameter holder") != std::string::npos);
  CHECK(errors.find("could not be reached") == std::string::npos);
}
