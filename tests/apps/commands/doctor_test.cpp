#include "apps/commands/doctor.hpp"
#include "apps/doctor/machine_facts.hpp"
#include "tests/support/program.hpp"

#include <catch2/catch.hpp>
#include <nlohmann/json.hpp>

using namespace troupe;
using namespace troupe::test;
using Catch::Contains;

TEST_CASE("troupe doctor says what this machine offers, and leaves no file", "[doctor]") {
  const WorkFolder folder;
  const auto ran = troupe_program(folder.path(), "doctor");
  CAPTURE(ran.out, ran.error);
  CHECK(ran.code == 0);
  CHECK_THAT(ran.out, Contains("program     troupe ") && Contains("core") && Contains("free in"));
  const auto left = shell(folder.path(), "mkdir in; cd in; \"$troupe\" doctor >/dev/null; ls -A");
  CHECK(left.out.empty()); // beside the files of this test's shell
}

TEST_CASE("troupe doctor ends with 69 where training would fail", "[doctor]") {
  const WorkFolder folder;
  const auto ran = shell(folder.path(), "cd /proc; \"$troupe\" doctor --json"); // no file there
  CAPTURE(ran.out, ran.error);
  REQUIRE(ran.code == 69);
  const auto list = nlohmann::json::parse(ran.out);
  const auto disk = std::find_if(list.begin(), list.end(),
                                 [](const auto& one) { return one["subject"] == "disk"; });
  REQUIRE(disk != list.end());
  CHECK((*disk)["result"] == "wrong");
}

TEST_CASE("a locale that is not installed is noted", "[doctor]") {
  const WorkFolder folder;
  CHECK_THAT(shell(folder.path(), "LC_ALL=xx_YY.UTF-8 \"$troupe\" doctor").out,
             Contains("note   locale      xx_YY.UTF-8 is not installed"));
  CHECK_THAT(shell(folder.path(), "LC_ALL=C.UTF-8 \"$troupe\" doctor").out,
             Contains("ok     locale      C.UTF-8"));
}

TEST_CASE("the share of a container is its time over the period", "[doctor]") {
  CHECK(cpu_share_in("150000 100000\n") == 1.5);
  CHECK_FALSE(cpu_share_in("max 100000\n"));
  CHECK_FALSE(cpu_share_in(""));
}
