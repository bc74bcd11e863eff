#include "base/exit_codes.hpp"
#include "tests/support/program.hpp"

#include <catch2/catch.hpp>
#include <nlohmann/json.hpp>

using namespace troupe;
using namespace troupe::test;
using Catch::Contains;

namespace {

/// A worker's log with one status.
void write_status(const std::filesystem::path& folder, int worker, const std::string& status) {
  std::filesystem::create_directories(folder);
  std::ofstream(folder / "log.jsonl")
    << R"({"run":"r","id":"1","time":"2026-01-31T10:00:00.000Z"})" << '\n'
    << R"({"run":"r","worker":)" << worker << R"(,"time":"2026-01-31T10:00:09.000Z","status":{)"
    << status << "}}\n";
}

nlohmann::json asked_why(const std::filesystem::path& folder, const std::string& run) {
  const auto asked = troupe_program(folder, "why --json " + run);
  INFO(asked.error);
  REQUIRE(asked.code == 0);
  return nlohmann::json::parse(asked.out);
}

} // namespace

TEST_CASE("why names what a run spends most of its time on", "[why]") {
  WorkFolder work;
  write_status(work.path() / "run", 0,
               R"("time_seconds":10,"time_reading":7,"time_gradient":3,"time_batches":100)");
  const auto answer = asked_why(work.path(), "run");
  CHECK(answer["bounded_by"]["cause"] == "reading");
  CHECK(answer["bounded_by"]["without"] == 3.0);
  CHECK(answer["ended"] == false);
  CHECK(answer["sentences"].size() == 5);
  const auto shown = troupe_program(work.path(), "why run -o why.svg").out;
  CHECK_THAT(shown, Contains("Reading data bounds it: 7.0 s, 70 % of the critical path."));
  CHECK_THAT(shown, Contains("would last 3.0 s instead of 10.0 s, 3.3 times as fast"));
  CHECK_THAT(contents(work.path() / "why.svg"), Contains("<svg") && Contains("without it"));
}

TEST_CASE("why finds the worker of a cluster that the others wait for", "[why]") {
  WorkFolder work;
  write_status(work.path() / "run/worker-0", 0,
               R"("time_seconds":10,"time_gradient":2,"time_batches":100,"time_waited.sync":8,)"
               R"("time_waited.worker 1@sync":8)");
  write_status(work.path() / "run/worker-1", 1,
               R"("time_seconds":10,"time_gradient":10,"time_batches":100)");
  const auto bound = asked_why(work.path(), "run")["bounded_by"];
  CHECK(bound["cause"] == "slow worker");
  CHECK(bound["worker"] == 1);
  CHECK(bound["without"] == Approx(2));
}

TEST_CASE("a simulated cluster without its slow worker lasts as long as why predicts", "[why]") {
  WorkFolder work;
  const auto simulated = [&](const std::string& name, const std::string& options) {
    const auto ran = troupe_program(
      work.path(), "simulate -q -n 2 problem.train=640 problem.validation=64 problem.test=64 "
                   "model.hidden=[16] training.epochs=4 training.seed=3 run.root="
                     + name
                     + " '+extensions.shared_params_auto_sync={every_n_batches: 1, staleness: 0}' "
                     + options);
    INFO(ran.error);
    REQUIRE(ran.code == 0);
    return asked_why(work.path(), name + "/latest");
  };
  const auto usual = simulated("usual", "--step 0.05")["seconds"].get<double>();
  const auto slow = simulated("slow", "--step 0.05,0.2")["bounded_by"];
  CHECK(slow["cause"] == "slow worker");
  CHECK(slow["worker"] == 1);
  CHECK(slow["without"].get<double>() == Approx(usual));
  const auto narrow = simulated("narrow", "--step 0.05 --bandwidth 0.1")["bounded_by"];
  CHECK(narrow["cause"] == "network");
}

TEST_CASE("why counts the times of the last start only", "[why]") {
  WorkFolder work;
  write_status(work.path() / "run", 0, R"("time_seconds":10,"time_reading":10,"time_batches":9)");
  std::ofstream(work.path() / "run/log.jsonl", std::ios::app)
    << R"({"run":"r","id":"2","resumed_from":"1","time":"2026-01-31T11:00:00.000Z"})" << '\n'
    << R"({"run":"r","worker":0,"time":"2026-01-31T11:00:09.000Z","status":)"
    << R"({"time_seconds":4,"time_gradient":4,"time_batches":3}})" << '\n';
  const auto answer = asked_why(work.path(), "run");
  CHECK(answer["seconds"] == 4.0);
  CHECK(answer["bounded_by"]["cause"] == "gradient");
}

TEST_CASE("why says what to do about a log without times", "[why]") {
  WorkFolder work;
  write_status(work.path() / "old", 0, R"("training_finished":true)");
  write_status(work.path() / "new", 0, R"("training_finished":false)");
  const auto old = troupe_program(work.path(), "why old");
  CHECK(old.code == static_cast<int>(ExitCode::data));
  CHECK_THAT(old.error, Contains("an earlier version of Troupe has written it; train again"));
  CHECK_THAT(troupe_program(work.path(), "why new").error, Contains("wait until then"));
}
