#include "apps/process/interrupts.hpp"
#include "tests/support/deterministic_system.hpp"
#include "tests/support/program.hpp"

#include <caf/typed_event_based_actor.hpp>
#include <catch2/catch.hpp>
#include <nlohmann/json.hpp>

using namespace troupe;
using namespace troupe::test;
using Catch::Contains;

namespace {

/// Runs `troupe <arguments>` in the background and interrupts it as the script says. `$program` is
/// the process, `err` holds its output, `await WORD FILE` waits until the file contains the word.
/// @returns the exit code as a line
Ran interrupted(const WorkFolder& work, const std::string& arguments, const std::string& script) {
  return shell(work.path(),
               "await() { until grep -q \"$1\" $2 2>/dev/null; do sleep 0.02; done; }\n"
               "\"$troupe\" "
                 + arguments + " >out 2>err &\nprogram=$!\n" + script + "\nwait $program; echo $?");
}

/// Its epoch lasts until it is stopped.
const std::string long_epoch = "train --json --no-progress problem.train=2000000 "
                               "problem.validation=50 problem.test=50 model.hidden='[16]' "
                               "extensions.training_monitoring.every_n_batches=1 ";
/// Its test lasts until it is stopped.
const std::string long_test = "train --json --no-progress problem.train=200 problem.validation=50 "
                              "problem.test=10000000 model.hidden='[16]' "
                              "training.epochs=1 ";
const std::string until_measuring = "await '\"training_finished\":true' runs/latest/log.jsonl\n";
const std::string interrupt = "kill -INT $program\n";

} // namespace

TEST_CASE("a second Ctrl-C ends training after the batch, and is the reason", "[B10]") {
  WorkFolder work;
  const auto ran = interrupted(work, long_epoch,
                               "await training_loss runs/latest/log.jsonl\n" + interrupt
                                 + "await 'after this epoch' err\n" + interrupt);
  CHECK(ran.out == "75\n");
  const auto result = nlohmann::json::parse(contents(work.path() / "out"));
  CHECK(result["epochs"] == 0);
  CHECK(result["outcome"] == "interrupted");
  CHECK(result["reason"] == "interrupted (after the batch)");
  CHECK(result["workers"][0]["causes"].size() == 2);
}

TEST_CASE("closing the terminal ends training after the batch, resumable", "[B45]") {
  WorkFolder work;
  const auto ran = interrupted(work, long_epoch,
                               "await training_loss runs/latest/log.jsonl\nkill -HUP $program\n");
  CHECK(ran.out == "75\n");
  CHECK(nlohmann::json::parse(contents(work.path() / "out"))["outcome"] == "interrupted");
  CHECK(std::filesystem::exists(work.path() / "runs/latest/state.bin"));
}

TEST_CASE("a scheduler's warning ends training after the batch, resumable", "[B45]") {
  for (const std::string signal : {"USR1", "USR2"}) {
    WorkFolder work;
    const auto ran
      = interrupted(work, long_epoch,
                    "await training_loss runs/latest/log.jsonl\nkill -" + signal + " $program\n");
    CHECK(ran.out == "75\n");
    CHECK(std::filesystem::exists(work.path() / "runs/latest/state.bin"));
  }
}

TEST_CASE("a run that has lost its reader is saved when it is stopped", "[B45]") {
  WorkFolder work;
  const auto ran
    = shell(work.path(), "mkfifo lines; head -n 1 lines >first & reader=$!\n"
                         "\"$troupe\" "
                           + long_epoch
                           + ">lines 2>&1 & program=$!\n"
                             "until grep -q training_loss runs/latest/log.jsonl 2>/dev/null\n"
                             "do sleep 0.02; done\n"
                             "wait $reader; kill -TERM $program; wait $program; echo $?");
  CHECK(ran.out == "75\n");
  CHECK(std::filesystem::exists(work.path() / "runs/latest/state.bin"));
}

TEST_CASE("under nohup closing the terminal changes nothing", "[B45]") {
  WorkFolder work;
  const auto ran
    = shell(work.path(), "(trap '' HUP; exec \"$troupe\" " + long_epoch
                           + ">out 2>err) & program=$!\n"
                             "until grep -q training_loss runs/latest/log.jsonl 2>/dev/null\n"
                             "do sleep 0.02; done\n"
                             "kill -HUP $program; sleep 0.3; grep -c interrupted err\n"
                             "kill -TERM $program; wait $program; echo $?");
  CHECK(ran.out == "0\n75\n");
}

TEST_CASE("the first Ctrl-C after training says what is in progress, and the second ends it",
          "[B11]") {
  WorkFolder work;
  const auto ran
    = interrupted(work, long_test,
                  until_measuring + "await saved_to runs/latest/log.jsonl\n" + interrupt
                    + "await 'training has already ended' err\n" + interrupt);
  CHECK(ran.out == "75\n"); // the run has saved itself
  const auto said = contents(work.path() / "err");
  CHECK_THAT(said, Contains("results are being measured and saved"));
  CHECK_THAT(said, Contains("interrupted again: the program ends here; continue with: troupe train "
                            "--resume runs/digits"));
  const auto rest = troupe_program(work.path(), "train -q --json --resume latest training.epochs=2 "
                                                "problem.test=50");
  INFO(rest.error);
  CHECK(rest.code == 0);
}

TEST_CASE("one Ctrl-C after training loses no results", "[B9]") {
  WorkFolder work;
  const auto ran
    = interrupted(work, long_test + "problem.test=100000", until_measuring + interrupt);
  CHECK(ran.out == "0\n");
  CHECK(nlohmann::json::parse(contents(work.path() / "out"))["test"].contains("accuracy"));
  CHECK(std::filesystem::exists(work.path() / "runs/latest/state.bin"));
}

TEST_CASE("an end at once before anything was saved has an exit code of its own", "[B11]") {
  WorkFolder work;
  const auto ran = interrupted(work, long_test + "'~extensions.checkpoint'",
                               until_measuring + interrupt
                                 + "await 'training has already ended' err\n" + interrupt);
  CHECK(ran.out == "130\n");
  CHECK_THAT(contents(work.path() / "err"), Contains("nothing was saved to resume from"));
}

TEST_CASE("a third Ctrl-C ends the program at once", "[B11]") {
  WorkFolder work;
  const auto ran = interrupted(work, long_epoch + "problem.test=10000000",
                               "await training_loss runs/latest/log.jsonl\n" + interrupt
                                 + "await 'after this epoch' err\n" + interrupt
                                 + "await 'after this batch;' err\n"
                                 + "await saved_to runs/latest/log.jsonl\n" + interrupt);
  CHECK(ran.out == "75\n");
  CHECK_THAT(contents(work.path() / "err"), Contains("interrupted again: the program ends here"));
  CHECK(contents(work.path() / "out").empty());
}

TEST_CASE("a third Ctrl-C ends a grid at once, and the same command continues it", "[B11][M49]") {
  WorkFolder work;
  std::ofstream(work.path() / "long.yaml")
    << "tasks: [{overwrite: {model: {hidden: [16]}, problem: {train: 2000000, validation: 50, "
       "test: 10000000}}}]\nseed: 3\n";
  const auto ran = interrupted(work, "grid train long.yaml",
                               "await '\"run\"' 'grids/long/*/log.jsonl'\n" + interrupt
                                 + "await 'after their epoch' err\n" + interrupt
                                 + "await 'after their batch' err\n" + interrupt);
  CHECK(ran.out == "75\n");
  CHECK_THAT(contents(work.path() / "err"), Contains("the same command continues the grid"));
}

TEST_CASE("each level of a stop reaches a run once, also one that begins later", "[B10]") {
  DeterministicSystem world;
  const auto recorder = [&world](std::vector<StopLevel>& heard) {
    return world.spawn([&heard]() -> Stoppable::behavior_type {
      return {[&heard](const Stop& stop) { heard.push_back(stop.level); }};
    });
  };
  std::vector<StopLevel> first, second;
  Interrupts interrupts;
  interrupts.register_trainers({recorder(first)}, {});
  interrupts.stop(1, "the grid was stopped");
  interrupts.stop(1, "the grid was stopped");
  interrupts.register_trainers({recorder(second)}, {});
  world.run();
  CHECK(first == std::vector{StopLevel::after_epoch});
  CHECK(second.empty());
  interrupts.stop(1, "the grid was stopped");
  interrupts.stop(2, "the grid was stopped");
  interrupts.stop(1, "the grid was stopped");
  world.run();
  CHECK(first == std::vector{StopLevel::after_epoch, StopLevel::after_batch});
  CHECK(second == first);
}

TEST_CASE("a program without signals of its own ends training that begins later, too", "[B10]") {
  DeterministicSystem world;
  std::vector<StopLevel> heard;
  const auto recorder = world.spawn([&heard]() -> Stoppable::behavior_type {
    return {[&heard](const Stop& stop) { heard.push_back(stop.level); }};
  });
  Interrupts interrupts{Interrupts::WithoutSignals{}};
  sigset_t blocked;
  pthread_sigmask(SIG_BLOCK, nullptr, &blocked);
  CHECK(sigismember(&blocked, SIGINT) == 0);
  interrupts.interrupt(1);
  interrupts.register_trainers({recorder}, {});
  interrupts.interrupt(1);
  interrupts.interrupt(2);
  world.run();
  CHECK(heard == std::vector{StopLevel::after_epoch, StopLevel::after_batch});
}
