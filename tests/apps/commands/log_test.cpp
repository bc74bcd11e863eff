#include "base/exit_codes.hpp"
#include "tests/support/program.hpp"

#include <catch2/catch.hpp>
#include <fmt/format.h>
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

/// Two workers and an evaluator; the second worker's log ends in the middle of a line.
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

TEST_CASE("the logs of all workers are merged by time, or printed one after the other",
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

TEST_CASE("long logs are merged in pieces as if they were read whole", "[log][L27]") {
  WorkFolder work;
  const auto time_of = [](int second) {
    return fmt::format("{:02}:{:02}:{:02}.000", second / 3600, second / 60 % 60, second % 60);
  };
  // Two that write at the same times, one much slower, and one that begins after all others have ended.
  std::vector<std::pair<int, std::string>> expected;
  const auto add = [&](int worker, int first, int step, int rows) {
    std::string lines;
    for (int i = 0; i < rows; ++i) {
      const auto second = first + i * step;
      lines += row(worker, second, time_of(second), R"({"training_loss":2.5})");
      expected.emplace_back(second, "worker-" + std::to_string(worker) + " "
                                      + std::to_string(second) + "; ");
    }
    write(work.path() / "run" / ("worker-" + std::to_string(worker)), lines);
  };
  add(0, 0, 1, 6000); // 700 kB
  add(1, 0, 1, 6000);
  add(2, 3, 1000, 6);
  add(3, 10000, 1, 6000);
  std::stable_sort(expected.begin(), expected.end(),
                   [](const auto& a, const auto& b) { return a.first < b.first; });
  std::string text;
  for (const auto& [second, shown] : expected)
    text += shown;
  CHECK(rows_of(troupe_program(work.path(), "log --merge run").out) == text);
}

TEST_CASE("damaged and half-written lines are skipped with one warning", "[log][L27]") {
  WorkFolder work;
  write_cluster(work.path() / "run");
  const auto ran = troupe_program(work.path(), "log --merge run");
  CHECK(ran.error.find("2 lines were skipped") != std::string::npos);
  CHECK(ran.error.find("worker-10/log.jsonl:2") != std::string::npos);
  CHECK(std::count(ran.error.begin(), ran.error.end(), '\n') == 1);
}

TEST_CASE("the CSV columns do not depend on the records", "[log][L27]") {
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

TEST_CASE("rows of several runs name their log", "[log][L27]") {
  WorkFolder work;
  write(work.path() / "a", row(0, 1, "10:00:02.000", R"({"x":1})"));
  write_cluster(work.path() / "b");
  const auto ran = troupe_program(work.path(), "log --merge --record training_loss a b");
  CHECK(rows_of(ran.out) == "b/worker-0 10; b/worker-10 10; b/worker-0 20; ");
  CHECK(rows_of(troupe_program(work.path(), "log a").out) == "a 1; ");
}

TEST_CASE("an unknown record and a folder without a log are reported", "[log][L27]") {
  WorkFolder work;
  write_cluster(work.path() / "run");
  const auto ran = troupe_program(work.path(), "log --record training_los run");
  CHECK(ran.out.empty());
  CHECK(ran.error.find("did you mean 'training_loss'?") != std::string::npos);
  const auto absent = troupe_program(work.path(), "log nowhere");
  CHECK(absent.code == static_cast<int>(ExitCode::io));
  CHECK(absent.error.find("no log.jsonl in 'nowhere'") != std::string::npos);
}

TEST_CASE("several records are selected by name", "[log]") {
  WorkFolder work;
  write_cluster(work.path() / "run");
  const auto ran = troupe_program(
    work.path(), "log --csv --record validation_loss --record training_loss --record a run");
  CHECK(std::count(ran.out.begin(), ran.out.end(), '\n') == 5);
  CHECK(ran.error.find("no row has a record 'a'\n") != std::string::npos);
}

TEST_CASE("a resumed log is read without the rows that were trained twice, and lists its starts",
          "[log][B46]") {
  WorkFolder work;
  const std::string a(32, 'a'), b(32, 'b');
  const auto start = [](const std::string& id, const std::string& rest) {
    return R"({"run":"r","id":")" + id + "\"" + rest + R"(,"time":"2026-01-31T10:00:00.000Z"})"
           + "\n";
  };
  write(work.path() / "run", start(a, "") + row(0, 10, "10:00:01.000", R"({"x":1})")
                               + row(0, 20, "10:00:02.000", R"({"x":2})") + R"({"run":"r","wor)"
                               + "\n"
                               + start(b, R"(,"resumed_from":")" + a + R"(","resumed_at":{"0":10})")
                               + row(0, 20, "10:00:03.000", R"({"x":3})"));
  const auto ran = troupe_program(work.path(), "log --csv run");
  CHECK(ran.out
        == "time,log,worker,batch,epoch,seconds,record,value\n"
           "2026-01-31T10:00:01.000Z,run,0,10,0,0.5,x,1\n"
           "2026-01-31T10:00:03.000Z,run,0,20,0,0.5,x,3\n");
  CHECK(ran.error.find("1 line was skipped") != std::string::npos);
  CHECK(troupe_program(work.path(), "log --lineage run").out
        == "2026-01-31T10:00:00.000Z  " + a + "  run\n" + "2026-01-31T10:00:00.000Z  " + b
             + "  run  resumed from " + a + ", worker 0 at batch 10\n");
  const auto json = troupe_program(work.path(), "log --lineage --json run").out;
  CHECK(nlohmann::json::parse(json.substr(json.find('\n')))["resumed_at"]["0"] == 10);
}

TEST_CASE("the option --follow prints a running run's rows, from its folder and from a store",
          "[log][B47]") {
  WorkFolder work;
  const auto ran = shell(work.path(), R"(
    until_there() { for i in $(seq 600); do grep -q "$1" "$2" && return; sleep 0.05; done; }
    "$troupe" train -q training.epochs=0 log.store.path=logs.sqlite )"
                                        + small_digits + R"( >trained & trainer=$!
    for i in $(seq 600); do "$troupe" log --store logs.sqlite latest >listed && [ -s listed ] && break; sleep 0.05; done
    "$troupe" log --store logs.sqlite >listed
    "$troupe" log --follow --csv --record test_loss --record training_loss latest >file & from_file=$!
    "$troupe" log --follow --csv --record test_loss --record training_loss --store logs.sqlite latest >store &
    from_store=$!
    until_there training_loss file; until_there training_loss store; grep -c test_loss file store
    kill -INT $trainer
    wait $from_file; echo $?
    wait $from_store; echo $?)");
  INFO(ran.error);
  CHECK(ran.out == "file:0\nstore:0\n0\n0\n");
  for (const auto* name : {"file", "store"})
    CHECK(contents(work.path() / name).find(",test_loss,") != std::string::npos);
  CHECK(contents(work.path() / "listed").find("not ended") != std::string::npos);
}

TEST_CASE("the option --follow ends on Ctrl-C, and prints a half-written line once it is complete",
          "[log][B47]") {
  WorkFolder work;
  write(work.path() / "run", row(0, 1, "10:00:01.000", R"({"x":1})") + R"({"worker":0,"batch":2,)");
  const auto ran = shell(work.path(), R"(
    "$troupe" log --follow --csv run >rows 2>errors & follower=$!
    for i in $(seq 600); do grep -q ',x,1' rows && break; sleep 0.05; done
    echo '"epoch":0,"seconds":1,"time":"2026-01-31T10:00:02.000Z","records":{"x":2}}' >>run/log.jsonl
    for i in $(seq 600); do grep -q ',x,2' rows && break; sleep 0.05; done
    kill -INT $follower; wait $follower; echo $?; cat rows errors)");
  CHECK(ran.out
        == "0\ntime,log,worker,batch,epoch,seconds,record,value\n"
           "2026-01-31T10:00:01.000Z,run,0,1,0,0.5,x,1\n"
           "2026-01-31T10:00:02.000Z,run,0,2,0,1.0,x,2\n");
}

TEST_CASE("runs in a store are found by name and by id, and an unknown one is refused with a list",
          "[log][B47]") {
  WorkFolder work;
  for (const auto* tag : {"first", "second"})
    REQUIRE(
      troupe_program(work.path(), "train -q training.epochs=1 log.store.path=logs.sqlite run.tag="
                                    + std::string{tag} + " " + small_digits)
        .code
      == 0);
  const auto list = troupe_program(work.path(), "log --store logs.sqlite --json").out;
  CHECK(std::count(list.begin(), list.end(), '\n') == 2);
  const auto first = nlohmann::json::parse(list.substr(0, list.find('\n')));
  const auto name = first["name"].get<std::string>();
  const auto id = first["id"].get<std::string>();
  const auto by_name = troupe_program(work.path(), "log --store logs.sqlite --csv " + name);
  CHECK(by_name.out.find(",test_loss,") != std::string::npos);
  CHECK(troupe_program(work.path(), "log --store logs.sqlite --csv " + id.substr(0, 10)).out
        == by_name.out);
  const auto wrong = troupe_program(work.path(), "log --store logs.sqlite " + name + "x");
  CHECK(wrong.code == static_cast<int>(ExitCode::io));
  CHECK(wrong.error.find("did you mean '" + name + "'?") != std::string::npos);
  CHECK(troupe_program(work.path(), "log --store logs.sqlite ''").error.find("more digits")
        != std::string::npos);
  CHECK(troupe_program(work.path(), "log").code == static_cast<int>(ExitCode::usage));
}

TEST_CASE("a run with an invalid store trains on, with one warning", "[train][B47]") {
  WorkFolder work;
  const auto ran = troupe_program(
    work.path(),
    "train --no-progress training.epochs=2 log.store.path=nowhere/logs " + small_digits);
  CHECK(ran.code == 0);
  const auto said = ran.error.find("the store 'nowhere/logs' cannot be written");
  REQUIRE(said != std::string::npos);
  CHECK(ran.error.find("the store 'nowhere/logs'", said + 1) == std::string::npos);
}

TEST_CASE("a folder in place of a log file is reported", "[log]") {
  WorkFolder work;
  std::filesystem::create_directories(work.path() / "run" / "log.jsonl");
  for (const auto* command : {"log run", "log run --follow", "plot run -o x.svg"}) {
    const auto ran = troupe_program(work.path(), command);
    CHECK(ran.code == 74);
    CHECK_THAT(ran.error, Catch::Contains("'run/log.jsonl' is a folder"));
  }
}

TEST_CASE("a run without a log is skipped with a warning if another run has one", "[log][L27]") {
  WorkFolder work;
  write_cluster(work.path() / "run");
  std::filesystem::create_directories(work.path() / "ended");
  const auto both = troupe_program(work.path(), "log ended run");
  CHECK(both.code == 0);
  CHECK(rows_of(both.out)
        == "run/evaluator 1; run/worker-0 10; run/worker-0 20; run/worker-10 10; ");
  CHECK(both.error.find("no log.jsonl in 'ended', nor in a folder in it; it is left out")
        != std::string::npos);
  CHECK(troupe_program(work.path(), "log nowhere run").code == static_cast<int>(ExitCode::io));
  CHECK(troupe_program(work.path(), "log ended ended").code == static_cast<int>(ExitCode::io));
}

TEST_CASE("a file that is not the log of a run is refused, with and without --follow",
          "[log][errors]") {
  WorkFolder work;
  std::ofstream{work.path() / "table.csv"} << "a,b\n1,2\n3,4\n";
  for (const auto* flag : {"", " --follow", " --csv"}) {
    const auto ran = troupe_program(work.path(), "log table.csv" + std::string{flag});
    CAPTURE(flag);
    CHECK(ran.code == 65);
    CHECK(ran.error.find("'table.csv' is not the log of a run") != std::string::npos);
  }
}

TEST_CASE("logs are copied into a store, which gets only what it lacks", "[log][I19]") {
  WorkFolder work;
  const std::string start
    = R"({"run":"r","id":"0123456789abcdef","time":"2026-01-31T10:00:00.000Z"})";
  write(work.path() / "run", start + "\n" + row(0, 10, "10:00:00.000", R"({"loss":2.5})"));
  const auto copied = troupe_program(work.path(), "log --copy-to logs.sqlite run");
  INFO(copied.error);
  REQUIRE(copied.code == 0);
  std::ofstream(work.path() / "run/log.jsonl", std::ios::app)
    << row(0, 20, "10:00:01.000", R"({"loss":1.5})");
  REQUIRE(troupe_program(work.path(), "log --copy-to logs.sqlite run").code == 0);
  REQUIRE(troupe_program(work.path(), "log --copy-to logs.sqlite run").code == 0);
  CHECK(rows_of(troupe_program(work.path(), "log --store logs.sqlite latest").out)
        == "r 10; r 20; ");
  std::ofstream(work.path() / "text") << "text";
  CHECK(troupe_program(work.path(), "log --copy-to text run").code
        == static_cast<int>(ExitCode::io));
  CHECK(troupe_program(work.path(), "log --copy-to logs.sqlite --csv run").code
        == static_cast<int>(ExitCode::usage));
}

TEST_CASE("runs are written for MLflow", "[log][mlflow]") {
  WorkFolder work;
  write(work.path() / "runs/one", R"({"run":"r","id":"0123","time":"2026-01-31T10:00:00.000Z"})"
                                  "\n"
                                    + row(0, 10, "10:00:00.000", R"({"loss":2.5})"));
  const auto written = troupe_program(work.path(), "log --mlflow mlruns runs");
  INFO(written.error);
  REQUIRE(written.code == 0);
  CHECK(written.out.find("1 run is in 'mlruns'") == 0);
  auto found = false;
  for (const auto& entry : std::filesystem::recursive_directory_iterator(work.path() / "mlruns"))
    found = found || entry.path().filename() == "loss";
  CHECK(found);
  CHECK(troupe_program(work.path(), "log --mlflow mlruns mlruns").code
        == static_cast<int>(ExitCode::io));
}
