// A run in its own process, controlled from others.
#include "apps/transport/control_listener.hpp"
#include "base/failure.hpp"
#include "tests/support/program.hpp"

#include <catch2/catch.hpp>
#include <nlohmann/json.hpp>
#include <sys/stat.h>

using namespace troupe;
using namespace troupe::test;
using Catch::Contains;

namespace {

/// A run that pauses before its first batch; the script continues once it can be controlled.
std::string held_run(const std::string& options = "") {
  return "\"$troupe\" train -q --json --control 127.0.0.1:0 --paused training.epochs=6 "
         + small_digits + options
         + " >result 2>errors & run=$!; trap 'kill -CONT $run; kill -TERM $run' EXIT; "
           "for i in $(seq 600); do [ -e runs/latest/control.json ] && break; sleep 0.05; done; "
           "ctl() { \"$troupe\" ctl latest \"$@\"; }; ";
}

/// Waits for the end of the run; ends with its exit code.
const std::string until_it_ends = "wait $run; code=$?; trap - EXIT; exit $code";

/// Waits until the run is paused after this many batches.
std::string until_held(int batches) {
  return "for i in $(seq 600); do ctl status | grep -q 'paused, " + std::to_string(batches)
         + " batches' && break; sleep 0.05; done; ";
}

std::string result_of(const WorkFolder& work) {
  return json_text(contents(work.path() / "result"), "parameters");
}

} // namespace

TEST_CASE("a live run driven by a script has the bits of one that was only changed at that batch",
          "[P15][slow]") {
  WorkFolder driven, told, left_alone;
  const auto ran = shell(
    driven.path(),
    held_run()
      + "ctl attach printing:mine every_n_batches=4 at=5 || exit 90; "
        "ctl set learning_rate=0.0001 at=20 || exit 91; ctl pause at=30 || exit 92; "
        "ctl resume || exit 93; "
      + until_held(30)
      + "cat runs/latest/log.jsonl >before; ctl status >status || exit 94; ctl step 3 || exit 95; "
        "ctl evaluate test || exit 96; ctl save held.bin || exit 97; ctl detach mine || exit 98; "
        "ctl tail 1 >tail & tail=$!; "
        "for i in $(seq 600); do [ -s tail ] && break; sleep 0.05; done; ctl resume; "
        "wait $tail || exit 99; "
      + until_it_ends);
  INFO(ran.out << ran.error << contents(driven.path() / "errors"));
  REQUIRE(ran.code == 0);
  CHECK_THAT(ran.out, Contains("paused, 33 batches") && Contains("test accuracy"));
  CHECK_THAT(contents(driven.path() / "status"), Contains("mine: ") && Contains("rate 0.0001"));
  CHECK_THAT(contents(driven.path() / "runs/latest/log.jsonl"),
             Contains("\"control\":\"set learning_rate=0.0001 at=20\"")
               && Contains("\"control\":\"detach mine\"") && Contains("test_accuracy"));
  // `tail` prints the run's last row and then ends.
  CHECK_THAT(contents(driven.path() / "tail"), Contains("\"batch\":60") && Contains("test_loss"));
  CHECK(std::filesystem::exists(driven.path() / "runs/latest/held.bin"));
  CHECK_FALSE(std::filesystem::exists(driven.path() / "runs/latest/control.json"));
  CHECK_THAT(contents(driven.path() / "runs/latest/config.yaml"), !Contains("control:"));

  REQUIRE(shell(told.path(), held_run()
                               + "ctl set learning_rate=0.0001 at=20 || exit 91; ctl resume; "
                               + until_it_ends)
            .code
          == 0);
  CHECK(result_of(driven) == result_of(told));
  REQUIRE(shell(left_alone.path(), held_run() + "ctl resume; " + until_it_ends).code == 0);
  CHECK(result_of(driven) != result_of(left_alone));
}

TEST_CASE("a time limit that is attached to a live run ends it", "[P15][L19]") {
  WorkFolder work;
  const auto ran
    = shell(work.path(), held_run()
                           + "ctl attach stop_after_time_elapsed total_duration=0 at=5 || exit 90; "
                             "ctl resume; "
                           + until_it_ends);
  INFO(ran.out << ran.error << contents(work.path() / "errors"));
  CHECK(ran.code == 0);
  const auto result = nlohmann::json::parse(contents(work.path() / "result"));
  CHECK(result["batches"] == 6);
  CHECK(result["reason"] == "the time limit of 0s is reached");
}

TEST_CASE("an attached extension is attached again on resume, to the same bits",
          "[P15][B45][slow]") {
  WorkFolder whole, stopped;
  const std::string attach = "ctl attach hyperparameter_scheduler:decay schedule.name=exponential "
                             "schedule.gamma=0.9 at=5 || exit 90; ";
  REQUIRE(shell(whole.path(), held_run() + attach + "ctl resume; " + until_it_ends).code == 0);
  const auto ran
    = shell(stopped.path(), held_run() + attach + "ctl stop at=13 || exit 91; ctl resume; "
                              + "wait $run; echo stopped $?; trap - EXIT; run=$(readlink -f "
                                "runs/latest); cp -r \"$run\" early; "
                                "go_on() { \"$troupe\" train -q --json --resume \"$@\"; }; "
                                "go_on early/checkpoint.1.bin >from_checkpoint || exit 92; "
                                "go_on \"$run\" extensions.finish_after.after_n_batches=27 "
                                ">part || exit 93; go_on \"$run\" >result || exit 94");
  INFO(ran.out << ran.error << contents(stopped.path() / "errors"));
  REQUIRE(ran.code == 0);
  CHECK_THAT(ran.out, Contains("stopped 75"));
  CHECK(result_of(stopped) == result_of(whole));
  CHECK(json_text(contents(stopped.path() / "from_checkpoint"), "parameters") == result_of(whole));
}

TEST_CASE("a detached extension stays detached on resume, to the same bits", "[P15][B45][slow]") {
  WorkFolder whole, stopped;
  const std::string decaying = " +extensions.decay.type=hyperparameter_scheduler "
                               "+extensions.decay.schedule.name=exponential "
                               "+extensions.decay.schedule.gamma=0.9 ";
  const std::string detach = "ctl detach decay at=5 || exit 90; ";
  REQUIRE(shell(whole.path(), held_run(decaying) + detach + "ctl resume; " + until_it_ends).code
          == 0);
  const auto ran
    = shell(stopped.path(),
            held_run(decaying) + detach + "ctl stop at=13 || exit 91; ctl resume; wait $run; "
              + "trap - EXIT; run=$(readlink -f runs/latest); "
                "go_on() { \"$troupe\" train --json --resume \"$run\" \"$@\"; }; "
                "go_on extensions.finish_after.after_n_batches=27 >part 2>said || exit 93; "
                "go_on >result 2>>said || exit 94");
  INFO(ran.out << ran.error << contents(stopped.path() / "errors"));
  REQUIRE(ran.code == 0);
  CHECK(result_of(stopped) == result_of(whole));
}

TEST_CASE("following a log ends when its reader has gone, even without another row",
          "[P15][slow]") {
  WorkFolder work;
  const auto ran = shell(work.path(), held_run()
                                        + "ctl step 3 || exit 90; "
                                          "ctl tail 5 | head -n 1 >first; "
                                          "\"$troupe\" log --follow latest | head -n 1 >followed; "
                                          "ctl resume || exit 91; "
                                        + until_it_ends);
  INFO(ran.out << ran.error << contents(work.path() / "errors"));
  CHECK(ran.code == 0);
  CHECK_THAT(contents(work.path() / "first"), Contains("\"batch\":"));
  CHECK_THAT(contents(work.path() / "followed"), Contains("\"batch\":"));
}

TEST_CASE("a run can be controlled only with its token", "[P15][slow]") {
  WorkFolder work;
  const auto ran = shell(
    work.path(), held_run()
                   + "echo 0123456789abcdef >guess; "
                     "at=$(sed 's/.*address\":\"\\([^\"]*\\).*/\\1/' runs/latest/control.json); "
                     "stat -c %a runs/latest/control.json; "
                     "\"$troupe\" ctl $at stop --token-file guess; echo guessed $?; "
                     "\"$troupe\" ctl $at tail --token-file guess; echo followed $?; "
                     "\"$troupe\" ctl $at status; echo none $?; "
                     "ctl pasue; echo misspelled $?; ctl attach prnting; echo unknown $?; "
                     "\"$troupe\" ctl $at stop --token-file runs/latest/control.json; "
                     "echo stopped $?; "
                   + until_it_ends);
  INFO(ran.out << ran.error);
  CHECK(ran.code == static_cast<int>(ExitCode::stopped_early));
  CHECK_THAT(ran.out, Contains("600\n") && Contains("guessed 77") && Contains("followed 77")
                        && Contains("none 2") && Contains("misspelled 2") && Contains("unknown 78")
                        && Contains("stopped 0"));
  CHECK_THAT(ran.error, Contains("did you mean 'printing'"));
}

TEST_CASE("commands to a frozen run fail within seconds", "[P15][T12][slow]") {
  WorkFolder work;
  const auto ran
    = shell(work.path(), held_run()
                           + "kill -STOP $run; begin=$(date +%s%N); ctl status; "
                             "echo code $?; end=$(date +%s%N); "
                             "[ $(( (end - begin) / 1000000000 )) -lt 20 ] && echo in time; "
                             "kill -CONT $run; ctl stop; "
                           + until_it_ends);
  INFO(ran.out << ran.error);
  CHECK_THAT(ran.out, Contains("code 69") && Contains("in time"));
  CHECK_THAT(ran.error, Contains("does not answer"));
}

TEST_CASE("a killed run is not mistaken for one that ended", "[P15][slow]") {
  WorkFolder work;
  const auto ran = shell(work.path(), held_run()
                                        + "ctl tail >rows & tail=$!; sleep 1; kill -KILL $run; "
                                          "wait $tail; echo tail $?; ctl status; echo code $?; "
                                          "trap - EXIT; exit 0");
  INFO(ran.out << ran.error);
  CHECK_THAT(ran.out, Contains("tail 69") && Contains("code 69"));
}

TEST_CASE("a run opens no port unless it is asked to", "[P15][R14][slow]") {
  WorkFolder work;
  const auto listening = [&](const std::string& options) {
    return shell(work.path(),
                 "\"$troupe\" train -q training.epochs=1000 " + small_digits + options
                   + " 2>/dev/null >/dev/null & run=$!; for i in $(seq 600); do [ -e "
                     "runs/latest/log.jsonl ] && break; sleep 0.05; done; sleep 0.5; "
                     "for inode in $(awk '$4 == \"0A\" {print $10}' /proc/$run/net/tcp "
                     "/proc/$run/net/tcp6); do ls -l /proc/$run/fd | grep -q "
                     "\"socket:.$inode.\" && echo listens; done; kill -TERM $run; "
                     "wait $run; rm -f runs/latest; exit 0")
      .out;
  };
  CHECK(listening("").empty());
  CHECK(listening("control.address=127.0.0.1:0") == "listens\n");
}

TEST_CASE(
  "beyond loopback remote control needs certificates, and accepts only those of their authority",
  "[P15][R14][slow]") {
  WorkFolder work;
  CHECK(troupe_program(work.path(), "train -q --control 0.0.0.0:0 " + small_digits).code
        == static_cast<int>(ExitCode::configuration));
  CHECK(troupe_program(work.path(), "train -q --paused " + small_digits).code
        == static_cast<int>(ExitCode::configuration));
  CHECK(troupe_program(work.path(), "train -q --control nowhere " + small_digits).code
        == static_cast<int>(ExitCode::configuration));
  const auto ran = shell(
    work.path(),
    "for a in ours theirs; do \"$troupe\" certs init $a; \"$troupe\" certs node $a control; done; "
      + held_run("--certs ours")
      + "ctl status; echo plain $?; ctl --certs theirs status; echo strangers $?; "
        "ctl --certs ours status; echo ours $?; ctl --certs ours stop; "
      + until_it_ends);
  INFO(ran.out << ran.error);
  CHECK(ran.code == static_cast<int>(ExitCode::stopped_early));
  CHECK_THAT(ran.error, Contains("give --certs FOLDER"));
  // cure: a certificate of its authority: give --certs FOLDER and --name NODE, made by `troupe
  // certs node`
  CHECK_THAT(ran.out, Contains("plain 78") && Contains("strangers 69") && Contains("ours 0"));
}

TEST_CASE("extensions that share parameters can be neither attached nor detached in a run",
          "[P15][slow]") {
  WorkFolder work;
  const auto ran
    = shell(work.path(), held_run("training.workers=2 ")
                           + "ctl detach shared_params_rate_limited; echo limited $?; "
                             "ctl attach shared_params_auto_sync every_n_batches=1; echo auto $?; "
                             "ctl resume; "
                           + until_it_ends);
  INFO(ran.out << ran.error << contents(work.path() / "errors"));
  CHECK(ran.code == 0);
  CHECK_THAT(ran.out, Contains("limited 78") && Contains("auto 78"));
  CHECK_THAT(ran.error, Contains("cannot be detached") && Contains("cannot be attached"));
}

TEST_CASE("ctl reports what is missing", "[P15]") {
  WorkFolder work;
  const auto missing = troupe_program(work.path(), "ctl latest status");
  CHECK(missing.code == static_cast<int>(ExitCode::io));
  CHECK_THAT(missing.error, Contains("runs/latest"));
  std::filesystem::create_directories(work.path() / "run");
  CHECK_THAT(troupe_program(work.path(), "ctl run status").error, Contains("--control"));
  CHECK(troupe_program(work.path(), "ctl 127.0.0.1:1 status").code
        == static_cast<int>(ExitCode::usage));
  CHECK(troupe_program(work.path(), "ctl run tail many").code == static_cast<int>(ExitCode::usage));
  std::ofstream(work.path() / "run/control.json") << "{\"address\": 5}";
  const auto damaged = troupe_program(work.path(), "ctl run status");
  CHECK(damaged.code == static_cast<int>(ExitCode::data));
  CHECK_THAT(damaged.error, Contains("is damaged: it has no address and token"));
  std::ofstream(work.path() / "token") << "t";
  CHECK_THAT(
    troupe_program(work.path(), "ctl 127.0.0.1:1 status --token-file token --certs .").error,
    Contains("make one with `troupe certs node . control`"));
  const auto gone = troupe_program(work.path(), "ctl 127.0.0.1:1 status --token-file token");
  CHECK(gone.code == static_cast<int>(ExitCode::unavailable));
  CHECK(troupe_program(work.path(), "ctl 10.0.0.1:1 status --token-file token").code
        == static_cast<int>(ExitCode::configuration));
}

TEST_CASE("an address to listen on is checked", "[P15]") {
  CHECK(listening_endpoint("127.0.0.1:0") == Endpoint{"127.0.0.1", 0});
  CHECK(listening_endpoint("[::1]:80") == Endpoint{"::1", 80});
  for (const auto* wrong : {"", "127.0.0.1", ":0", "a b:0", "127.0.0.1:99999", "127.0.0.1:x"})
    CHECK_THROWS_AS(listening_endpoint(wrong), ConfigError);
}
