// Files in a run's folder that another program wrote, or that are incomplete.
#include "apps/config/yaml.hpp"
#include "apps/folder/cluster_folder.hpp"
#include "apps/folder/problem_file.hpp"
#include "apps/folder/run_files.hpp"
#include "apps/session/run_end.hpp"
#include "base/failure.hpp"
#include "tests/support/program.hpp"

#include <catch2/catch.hpp>

using namespace troupe;
using namespace troupe::test;

namespace {

/// A run that ended at once.
FoundRun run_without_batches(const WorkFolder& work) {
  FoundRun found;
  found.path = work.path() / saved_run_file;
  found.run.trainers.emplace_back();
  return found;
}

std::optional<std::string> end_written_as(const std::string& result) {
  WorkFolder work;
  std::ofstream{work.path() / "result.json"} << result;
  return written_end(work.path(), run_without_batches(work), RunConfig{});
}

} // namespace

TEST_CASE("a result with values of wrong types reports no end", "[R15]") {
  CHECK(end_written_as(R"({"outcome": "finished", "reason": "done", "batches": 0})") == "done");
  for (const auto* result :
       {R"({"outcome": 1, "reason": "done", "batches": 0})",
        R"({"outcome": "finished", "reason": "done", "batches": "0"})",
        R"({"outcome": "finished", "reason": "done", "batches": -1})",
        R"({"outcome": "finished", "reason": "done"})", R"(["finished"])", "{", ""}) {
    INFO(result);
    CHECK_FALSE(end_written_as(result));
  }
  CHECK(end_written_as(R"({"outcome": "finished", "reason": [7], "batches": 0})") == "");
}

TEST_CASE("a fit of nothing but brackets is damaged, however many there are", "[R15]") {
  WorkFolder work;
  std::ofstream{work.path() / "config.yaml"} << "problem: {name: csv}\n";
  const auto depth = GENERATE(9u, 1'000'000u);
  std::ofstream{work.path() / "problem.json"} << R"({"problem": "csv", "classes": )"
                                              << std::string(depth, '[') << std::string(depth, ']')
                                              << "}";
  const auto problem = config::read_yaml("name: csv", "config.yaml");
  CHECK_THROWS_AS(fit_in(work.path(), problem), DataError);
  CHECK_THROWS_AS(problem_metadata(work.path().string()), DataError);
}

TEST_CASE("a run resumes by a changed configuration only if told to", "[R15]") {
  WorkFolder work;
  const auto ran = shell(
    work.path(),
    "\"$troupe\" train -q training.epochs=1 " + small_digits
      + " >/dev/null || exit 90; cd runs/latest; sed -i 's/seed: 5/seed: 6/' config.yaml; cd "
        "../..; "
        "for act in 'train -q --resume latest training.epochs=2' 'export latest -o m.onnx' "
        "'test latest'; do \"$troupe\" $act; echo $?; done; "
        "cp runs/latest/config.yaml mine.yaml; \"$troupe\" train -q mine.yaml training.epochs=1 "
        ">/dev/null || exit 91; run=$(ls -d runs/*/*/2* | head -1); sed -i '$d' $run/config.yaml; "
        "\"$troupe\" export $run -o m.onnx || exit 92");
  INFO(ran.out << ran.error);
  CHECK(ran.code == 0);
  CHECK(ran.out == "65\n65\n65\nm.onnx\n");
  CHECK_THAT(ran.error, Catch::Contains("/config.yaml' is not as the run wrote it: its checksum is "
                                        "wrong"));
}

TEST_CASE("a fit with a member unknown to its problem is refused", "[R15]") {
  WorkFolder work;
  std::ofstream{work.path() / "t.csv"} << "a,y\n1,2\n2,4\n3,7\n4,8\n5,11\n6,12\n7,13\n8,17\n9,18\n";
  const auto ran = shell(
    work.path(),
    "\"$troupe\" train -q training.epochs=1 problem.name=csv problem.path=t.csv problem.label=y "
    "|| exit 90; cd runs/latest; sed -i '0,/\"deviation\"/s//\"deviat)on\"/' problem.json; cd "
    "../..; "
    "\"$troupe\" train -q --resume latest training.epochs=2; echo $?; "
    "sed -zi 's/,\\n  \"checksum\": \"[0-9a-f]*\"//' runs/latest/problem.json; "
    "\"$troupe\" train -q --resume latest training.epochs=2; echo $?");
  INFO(ran.out << ran.error);
  CHECK_THAT(ran.error, Catch::Contains("problem.json' is damaged: its checksum is wrong"));
  CHECK_THAT(ran.error,
             Catch::Contains("'features[0].deviat)on', which this problem does not know"));
}

TEST_CASE("a folder whose cluster membership is damaged is refused", "[R15]") {
  WorkFolder work;
  claim(work.path(), {1, 4});
  CHECK(claim_of(work.path())->workers == 4);
  const auto whole = contents(work.path() / "cluster.json");
  auto bit = GENERATE_COPY(Catch::Generators::range(0, static_cast<int>(8 * whole.size()), 5));
  auto text = whole;
  const auto at = static_cast<std::size_t>(bit) / 8;
  text[at] = static_cast<char>(text[at] ^ (1 << bit % 8));
  std::ofstream{work.path() / "cluster.json", std::ios::binary} << text;
  try {
    const auto read = claim_of(work.path());
    CHECK((read && read->worker == 1 && read->workers == 4));
  } catch (const DataError& e) {
    CHECK_THAT(e.what(), Catch::Contains("cluster.json', which says whose folder it is"));
  }
}
