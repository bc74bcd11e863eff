#include "troupe/apps/exit_codes.hpp"
#include "troupe/tests/support/program.hpp"

#include <catch2/catch.hpp>
#include <nlohmann/json.hpp>

using namespace troupe;
using namespace troupe::test;

namespace {

std::string row(int worker, int batch, const std::string& time, const std::string& records) {
  return R"({"run":"r","worker":)" + std::to_string(worker) + R"(,"batch":)" + std::to_string(batch)
         + R"(,"epoch":0,"seconds":0.5,"time":"2026-01-31T)" + time + R"(Z","records":)" + records
         + "}\n";
}

void write(const std::filesystem::path& folder, const std::string& lines) {
  std::filesystem::create_directories(folder);
  std::ofstream(folder / "log.jsonl") << lines;
}

/// "worker-0 10; worker-1 20; "
std::string rows_of(const std::string& lines) {
  std::istringstream in{lines};
  std::string line, text;
  while (std::getline(in, line)) {
    const auto json = nlohmann::json::parse(line);
    text += json["log"].get<std::string>() + " " + json["batch"].dump() + "; ";
  }
  return text;
}

/// Two workers and an evaluator, the second worker's log cut off in the midst of a line.
void write_cluster(const std::filesystem::path& run) {
  write(run / "worker-0",
        row(0, 10, "10:00:00.000", R"({"training_loss":2.5})")
          + R"({"run":"r","worker":0,"time":"2026-01-31T10:00:01.000Z",)"
          + R"("status":{"batches_done":10}})" + "\n"
          + row(0, 20, "10:00:02.000", R"({"training_loss":"NaN","a,b":"x\"y"})"));
  write(run / "worker-10", row(10, 10, "10:00:01.000", R"({"training_loss":1.5})")
                             + "\x01 garbage\n" + R"({"run":"r","worker":10,"bat)");
  write(run / "evaluator", row(2, 1, "10:00:01.500", R"({"validation_loss":0.5})"));
}

} // namespace

TEST_CASE("the logs of all workers come in the order of time, or one after the other",
          "[log][L27]") {
  WorkFolder work;
  write_cluster(work.path() / "run");
  const auto merged = troupe_program(work.path(), "log --merge run");
  INFO(merged.error);
  REQUIRE(merged.code == 0);
  CHECK(rows_of(merged.out) == "worker-0 10; worker-10 10; evaluator 1; worker-0 20; ");
  CHECK(rows_of(troupe_program(work.path(), "log run").out)
        == "evaluator 1; worker-0 10; worker-0 20; worker-10 10; ");
}

TEST_CASE("damaged and half lines are left out with one warning", "[log][L27]") {
  WorkFolder work;
  write_cluster(work.path() / "run");
  const auto ran = troupe_program(work.path(), "log --merge run");
  CHECK(ran.error.find("2 lines were skipped") != std::string::npos);
  CHECK(ran.error.find("worker-10/log.jsonl:2") != std::string::npos);
  CHECK(std::count(ran.error.begin(), ran.error.end(), '\n') == 1);
}

TEST_CASE("one record as CSV has the same columns whatever was logged", "[log][L27]") {
  WorkFolder work;
  write_cluster(work.path() / "run");
  const auto loss = troupe_program(work.path(), "log --merge --csv --record training_loss run");
  CHECK(loss.out
        == "time,log,worker,batch,epoch,seconds,record,value\n"
           "2026-01-31T10:00:00.000Z,worker-0,0,10,0,0.5,training_loss,2.5\n"
           "2026-01-31T10:00:01.000Z,worker-10,10,10,0,0.5,training_loss,1.5\n"
           "2026-01-31T10:00:02.000Z,worker-0,0,20,0,0.5,training_loss,NaN\n");
  const auto all = troupe_program(work.path(), "log --csv run");
  CHECK(all.out.find(R"(,0.5,"a,b","x""y")") != std::string::npos);
}

TEST_CASE("the logs of several runs are told apart", "[log][L27]") {
  WorkFolder work;
  write(work.path() / "a", row(0, 1, "10:00:02.000", R"({"x":1})"));
  write_cluster(work.path() / "b");
  const auto ran = troupe_program(work.path(), "log --merge --record training_loss a b");
  CHECK(rows_of(ran.out) == "b/worker-0 10; b/worker-10 10; b/worker-0 20; ");
  CHECK(rows_of(troupe_program(work.path(), "log a").out) == "a 1; ");
}

TEST_CASE("a record that nobody wrote, and a folder without a log, are told of", "[log][L27]") {
  WorkFolder work;
  write_cluster(work.path() / "run");
  const auto ran = troupe_program(work.path(), "log --record training_los run");
  CHECK(ran.out.empty());
  CHECK(ran.error.find("did you mean 'training_loss'?") != std::string::npos);
  const auto absent = troupe_program(work.path(), "log nowhere");
  CHECK(absent.code == static_cast<int>(ExitCode::io));
  CHECK(absent.error.find("no log.jsonl in 'nowhere'") != std::string::npos);
}
