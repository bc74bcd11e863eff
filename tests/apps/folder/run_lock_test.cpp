#include "apps/cluster/launch_plan.hpp"
#include "apps/folder/run_lock.hpp"
#include "base/failure.hpp"
#include "tests/support/program.hpp"

#include <catch2/catch.hpp>

using namespace troupe;
using namespace troupe::test;
using Catch::Contains;

TEST_CASE("a second process does not train a running run, and names the first", "[train][lock]") {
  WorkFolder work;
  const auto ran
    = shell(work.path(), "\"$troupe\" train -q --folder run training.epochs=100000 " + small_digits
                           + "& first=$!\n"
                             "until test -s run/checkpoint.bin; do sleep 0.1; done\n"
                             "\"$troupe\" train -q --resume run; echo $?\n"
                             "\"$troupe\" train -q --folder run; echo $?\n"
                             "\"$troupe\" train --resume run --print-config "
                             ">printed.yaml; echo $?\n"
                             "kill -9 $first; wait $first 2>/dev/null\n"
                             "cp run/checkpoint.bin run/.checkpoint.bin.$first.7\n"
                             "\"$troupe\" train -q --resume run "
                             "extensions.finish_after.every_n_batches=1 "
                             ">end 2>&1; echo $?\n"
                             "ls -A run | grep -c '^[.]checkpoint'; echo $first\n");
  CAPTURE(ran.error);
  const auto first = ran.out.substr(ran.out.rfind('\n', ran.out.size() - 2) + 1);
  CHECK(ran.out == "74\n74\n0\n0\n0\n" + first);
  CHECK_THAT(ran.error, Contains("process " + first.substr(0, first.size() - 1))
                          && Contains("trains in '") && Contains("wait until it has ended"));
}

TEST_CASE("a folder belongs to one process while its lock lives", "[lock]") {
  WorkFolder work;
  RunLock none;
  CHECK_NOTHROW(none.take(work.path() / "none"));
  CHECK_FALSE(std::filesystem::exists(work.path() / "none"));
  {
    RunLock lock;
    lock.take(work.path());
    CHECK_NOTHROW(lock.take(work.path()));
    CHECK_THROWS_AS(RunLock{}.take(work.path()), IoError);
  }
  CHECK_NOTHROW(RunLock{}.take(work.path()));
}

TEST_CASE("two launchers cannot use one folder", "[lock]") {
  WorkFolder work;
  LaunchCommand command;
  command.folder = work.path().string();
  RunLock first, second;
  CHECK(plan_of(command, first).folder == work.path());
  CHECK_THROWS_AS(plan_of(command, second), IoError);
}

TEST_CASE("unfinished states of a killed process are removed, and nothing else", "[lock]") {
  WorkFolder work;
  std::filesystem::create_directory(work.path() / "models");
  const auto make = [&work](const std::string& name) { std::ofstream{work.path() / name} << "x"; };
  const std::vector<std::string> left{".checkpoint.bin.17.3", ".state.bin.1.12",
                                      "models/.model_best.bin.17.4"},
    others{".model.onnx.17.3", "checkpoint.bin.17.3", ".checkpoint.bin", "models/model_best.bin"};
  for (const auto& names : {left, others})
    for (const auto& name : names)
      make(name);
  RunLock lock;
  lock.take(work.path());
  for (const auto& name : left)
    CHECK_FALSE(std::filesystem::exists(work.path() / name));
  for (const auto& name : others)
    CHECK(std::filesystem::exists(work.path() / name));
}
