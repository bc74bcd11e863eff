#include "tests/support/program.hpp"

#include <catch2/catch.hpp>

using namespace troupe::test;
using Catch::Contains;

namespace {

const std::string init_kinds = "init problem.name=csv problem.path=kinds.csv ";

void write_kinds(const WorkFolder& work) {
  std::ofstream file(work.path() / "kinds.csv");
  file << "a,kind\n";
  for (int i = 0; i < 20; ++i)
    file << i << (i % 2 == 0 ? ",x\n" : ",y\n");
}

} // namespace

TEST_CASE("init reads a problem's files and describes them", "[M53]") {
  WorkFolder work;
  write_kinds(work);
  const auto ran = troupe_program(work.path(), init_kinds);
  INFO(ran.error);
  CHECK(ran.code == 0);
  CHECK_THAT(ran.out, Contains("csv: 16 examples to train on, 2 to validate, 2 to test")
                        && Contains("files were read"));
}

TEST_CASE("a second init changes no file", "[M53]") {
  WorkFolder work;
  write_kinds(work);
  const auto state = "find . -name '*.csv' -printf '%p %T@ %s\\n'; ls";
  const auto before = shell(work.path(), state).out;
  const auto first = troupe_program(work.path(), init_kinds);
  const auto second = troupe_program(work.path(), init_kinds);
  CHECK(first.out == second.out);
  CHECK(shell(work.path(), state).out == before);
}

TEST_CASE("init says that a generated problem needs no files", "[M53]") {
  WorkFolder work;
  std::ofstream(work.path() / "run.yaml") << "problem: {name: digits, train: 100}\n";
  const auto ran = troupe_program(work.path(), "init run.yaml");
  CHECK(ran.code == 0);
  CHECK_THAT(ran.out, Contains("digits: 100 examples to train on") && Contains("no files"));
}

TEST_CASE("init finds the errors that training would end with", "[M53]") {
  WorkFolder work;
  CHECK(troupe_program(work.path(), init_kinds).code == 74);
  write_kinds(work);
  std::ofstream(work.path() / "kinds.csv", std::ios::app) << "1,2,3\n";
  CHECK(troupe_program(work.path(), init_kinds).code == 65);
  write_kinds(work);
  const auto ran = troupe_program(
    work.path(), init_kinds + "'training.sampler={name: subset_random, indices: 0..17}'");
  CHECK(ran.code == 78);
  CHECK_THAT(ran.error, Contains("16 rows"));
}
