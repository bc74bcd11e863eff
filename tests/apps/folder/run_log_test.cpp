#include "actors/log/record_file.hpp"
#include "apps/folder/find_logs.hpp"
#include "apps/folder/log_reader.hpp"
#include "apps/folder/logged_values.hpp"
#include "base/failure.hpp"
#include "tests/support/program.hpp"
#include "tests/support/rounds.hpp"

#include <catch2/catch.hpp>
#include <nlohmann/json.hpp>

#include <cmath>
#include <random>

using namespace troupe;

namespace {

std::string row_line(WorkerId worker, Step batch, const std::string& records) {
  return R"({"run":"r","worker":)" + std::to_string(worker) + R"(,"batch":)" + std::to_string(batch)
         + R"(,"epoch":0,"seconds":0.5,"time":"2026-01-31T12:00:00.000Z","records":)" + records
         + "}";
}

std::string start_line(const std::string& id, const std::string& from = "",
                       const std::string& at = "{}") {
  return R"({"run":"r","id":")" + id + "\""
         + (from.empty() ? "" : R"(,"resumed_from":")" + from + R"(","resumed_at":)" + at)
         + R"(,"time":"2026-01-31T12:00:00.000Z"})";
}

RunLog log_of(const std::vector<std::string>& lines) {
  RunLog log;
  for (const auto& line : lines)
    log.take(line);
  return log;
}

/// A log file and the rows that count, as a reader that follows it has them.
class WrittenLog : private LogTaker {
public:
  explicit WrittenLog(const std::vector<std::string>& lines = {}) {
    for (const auto& line : lines)
      take(line);
  }

  void take(const std::string& line) {
    std::ofstream{reader_.path(), std::ios::app | std::ios::binary} << line << "\n";
  }

  const std::vector<LoggedRow>& rows() {
    reader_.poll(*this);
    return rows_;
  }
  const LogReader& reader() const { return reader_; }

private:
  bool restart() override {
    rows_.clear();
    return true;
  }
  void take(const ScannedRow& row, std::uint64_t, std::uint64_t, bool counts) override {
    if (counts && !row.records.empty())
      rows_.push_back(logged_row(row));
  }

  test::WorkFolder folder_;
  LogReader reader_{folder_.path() / "log.jsonl"};
  std::vector<LoggedRow> rows_;
};

/// "0/10 loss=1; 1/20 loss=2; "
std::string logged_text(WrittenLog& log) {
  std::string text;
  for (const auto& row : log.rows()) {
    text += std::to_string(row.row.worker) + "/" + std::to_string(row.row.batch);
    for (const auto& [name, value] : row.records)
      text += " " + name + "=" + to_string(value);
    text += "; ";
  }
  return text;
}

} // namespace

TEST_CASE("rows beyond the point where a worker resumes do not count, later ones do",
          "[run_log][B46][L27]") {
  WrittenLog log{{start_line("a"), row_line(0, 10, R"({"loss":1})"),
                  row_line(0, 20, R"({"loss":2})"), row_line(1, 20, R"({"loss":3})"),
                  row_line(2, 99, R"({"loss":4})"), start_line("b", "a", R"({"0":10,"1":20})"),
                  row_line(0, 20, R"({"loss":5})")}};
  CHECK(logged_text(log) == "0/10 loss=1; 1/20 loss=3; 2/99 loss=4; 0/20 loss=5; ");
  const auto& starts = log.reader().head().starts();
  REQUIRE(starts.size() == 2);
  CHECK(starts[1].start == LogStart{"b", "a", {{0, 10}, {1, 20}}});
}

TEST_CASE("a record written to the checkpoint's row again replaces the former", "[run_log][B46]") {
  WrittenLog log{{row_line(0, 10, R"({"loss":1})"), row_line(0, 10, R"({"x":1,"y":2})"),
                  start_line("b", "a", R"({"0":10})"), row_line(0, 10, R"({"loss":3})"),
                  row_line(0, 10, R"({"y":4})")}};
  CHECK(logged_text(log) == "0/10 x=1; 0/10 loss=3; 0/10 y=4; ");
}

TEST_CASE("a followed log keeps its starts, and the rows after a resume follow", "[run_log]") {
  WrittenLog log{{start_line("a"), row_line(0, 10, R"({"loss":1})"),
                  row_line(0, 20, R"({"loss":2,"accuracy":0.5})")}};
  CHECK(logged_text(log) == "0/10 loss=1; 0/20 accuracy=0.5 loss=2; ");
  log.take(start_line("b", "a", R"({"0":10})"));
  log.take(row_line(0, 10, R"({"loss":3})"));
  log.take(row_line(0, 20, R"({"loss":4})"));
  CHECK(logged_text(log) == "0/10 loss=3; 0/20 loss=4; ");
  CHECK(log.reader().head().starts().size() == 2);
}

TEST_CASE("a log yields the rows that count, in order", "[run_log][B46][L27]") {
  const test::WorkFolder work;
  std::ofstream{work.path() / "log.jsonl"}
    << start_line("a") << "\n"
    << row_line(0, 10, R"({"loss":1})") << "\n"
    << row_line(0, 20, R"({"loss":2})") << "\nhalf a line of \"records\"\n"
    << R"({"run":"r","worker":0,"status":{"batches_per_epoch":10}})"
    << "\n"
    << start_line("b", "a", R"({"0":10})") << "\n"
    << row_line(0, 10, R"({"loss":3})") << "\n"
    << row_line(0, 20, R"({"loss":4})") << "\n";
  LogReader log{log_files(work.path()).at(0)};
  std::string text;
  each_row(log, [&text](const LoggedRow& row) {
    text += std::to_string(row.row.batch) + " " + to_string(row.records.at("loss")) + "; ";
  });
  const auto& head = log.head();
  CHECK(head.starts().size() == 2);
  CHECK(head.status(0).at("batches_per_epoch") == Value{std::int64_t{10}});
  CHECK(text == "10 3; 20 4; "); // the later 10 has replaced the first
}

TEST_CASE("the logs of a run are its own and those of its workers, by number", "[run_log]") {
  const test::WorkFolder work;
  for (const auto* worker : {"worker-10", "worker-2"}) {
    std::filesystem::create_directory(work.path() / worker);
    std::ofstream{work.path() / worker / "log.jsonl"} << row_line(0, 1, R"({"loss":1})") << "\n";
  }
  std::vector<std::string> files;
  for (const auto& file : log_files(work.path()))
    files.push_back(file.lexically_relative(work.path()).string());
  CHECK(files == std::vector<std::string>{"worker-2/log.jsonl", "worker-10/log.jsonl"});
  CHECK_THROWS_AS(log_files(work.path() / "worker-2" / "none"), IoError);
}

TEST_CASE("a log killed and resumed at random reads as that of an undisturbed run",
          "[run_log][B46]") {
  std::mt19937 random{11};
  for (int round = 0; round < test::rounds(50); ++round) {
    WrittenLog log, undisturbed;
    Step batch = 0;
    log.take(start_line("0"));
    for (int life = 1; batch < 60; ++life) {
      const auto until = std::min<Step>(60, batch + 1 + random() % 25);
      while (batch < until) {
        ++batch;
        log.take(row_line(0, batch, R"({"loss":)" + std::to_string(batch) + "}"));
      }
      if (batch == 60)
        break;
      log.take(R"({"run":"r","worker":0,"bat)"); // cut off
      batch = random() % (batch + 1);            // the last checkpoint
      log.take(start_line(std::to_string(life), std::to_string(life - 1),
                          R"({"0":)" + std::to_string(batch) + "}"));
    }
    for (Step i = 1; i <= 60; ++i)
      undisturbed.take(row_line(0, i, R"({"loss":)" + std::to_string(i) + "}"));
    CHECK(logged_text(log) == logged_text(undisturbed));
  }
}

TEST_CASE("written records are read back, including non-finite numbers", "[run_log][B47]") {
  test::WorkFolder work;
  const auto path = (work.path() / "log.jsonl").string();
  const Records records{{"inf", Value{-INFINITY}},
                        {"flag", Value{true}},
                        {"count", Value{std::int64_t{-7}}},
                        {"loss", Value{0.1}},
                        {"text", Value{"a \"b\"\n"}}};
  {
    RecordFile file{path, "r"};
    file.write(LogStart{"a", "b", {{3, 17}}}, 0);
    file.write(Write{{3, 20}, 2, 1.5, records, ""}, 0.25);
    file.write(WriteStatus{3, {{"epochs_done", Value{std::int64_t{2}}}}}, 1);
  }
  LogReader reader{path};
  std::vector<LoggedRow> rows;
  each_row(reader, [&rows](const LoggedRow& row) { rows.push_back(row); });
  CHECK(reader.damaged() == 0);
  const auto& log = reader.head();
  REQUIRE(rows.size() == 1);
  CHECK(rows[0].records == records);
  CHECK(rows[0].row == RowKey{3, 20});
  CHECK(rows[0].epoch == 2);
  CHECK(rows[0].seconds == 1.5);
  CHECK(rows[0].time == "1970-01-01T00:00:00.250Z");
  CHECK(log.starts().at(0).start == LogStart{"a", "b", {{3, 17}}});
  CHECK(log.status(3)
        == Records{{"epochs_done", Value{std::int64_t{2}}},
                   {"log_id", Value{"a"}},
                   {"resumed_from", Value{"b"}}});
  CHECK_FALSE(log.ended());
}

TEST_CASE("a log ends when its process says so, and continues after a resume", "[run_log][B46]") {
  const auto end = R"({"run":"r","id":"a","ended":true,"time":"2026-01-31T12:00:00.000Z"})";
  const auto finished = R"({"worker":0,"status":{"training_finished":true,"best":1}})";
  auto log = log_of({start_line("a"), finished});
  CHECK_FALSE(log.ended());
  log.take(end);
  CHECK(log.ended());
  log.take(start_line("b", "a"));
  CHECK_FALSE(log.ended());
  CHECK(log.status(0).count("training_finished") == 0);
  CHECK(log.status(0).count("best") == 1);
  CHECK(log_of({finished}).ended()); // written before logs had an id
  CHECK_FALSE(log_of({finished, R"({"worker":1,"status":{"x":1}})"}).ended());
  CHECK_FALSE(log_of({}).ended());
}

TEST_CASE("lines with members of wrong types are damaged and change nothing", "[run_log]") {
  const std::vector<std::string> lines{
    "",
    "null",
    "[]",
    "{}",
    "\x01\xff",
    "{\"records\":{}}",
    start_line("a").substr(1),
    row_line(0, 1, "[]"),
    row_line(0, 1, R"({"x":[1]})"),
    row_line(0, 1, R"({"x":null})"),
    R"({"worker":-1,"batch":1,"epoch":0,"seconds":0,"time":"t","records":{"x":1}})",
    R"({"worker":4294967296,"batch":1,"epoch":0,"seconds":0,"time":"t","records":{"x":1}})",
    R"({"worker":0,"batch":1.5,"epoch":0,"seconds":0,"time":"t","records":{"x":1}})",
    R"({"worker":0,"batch":1,"epoch":"0","seconds":0,"time":"t","records":{"x":1}})",
    R"({"worker":0,"batch":1,"epoch":0,"seconds":"0","time":"t","records":{"x":1}})",
    R"({"worker":0,"batch":1,"epoch":0,"seconds":0,"time":7,"records":{"x":1}})",
    R"({"worker":0,"status":[]})",
    R"({"status":{"x":1}})",
    R"({"id":7,"time":"t"})",
    start_line("b", "a", "[10]"),
    start_line("b", "a", R"({"zero":10})"),
    start_line("b", "a", R"({"0":-1})"),
    start_line("b", "a", R"({"0x":1})"),
    start_line("b", "a", R"({"":1})"),
    std::string(100'000, '[')};
  RunLog log;
  WrittenLog written;
  written.take(row_line(0, 5, R"({"x":1})"));
  for (const auto& line : lines) {
    INFO(line.substr(0, 200));
    CHECK(log.take(line) == RunLog::Taken::damaged);
    written.take(line);
  }
  CHECK(logged_text(written) == "0/5 x=1; ");
  CHECK(written.reader().damaged() == lines.size());
  CHECK(log.starts().empty());
}

TEST_CASE("a log truncated or changed at any byte is read without harm", "[run_log]") {
  const auto line = row_line(0, 1, R"({"loss":0.5,"text":"é"})");
  const auto start = start_line("b", "a", R"({"0":10})");
  std::mt19937 random{3};
  for (const auto& whole : {line, start})
    for (std::size_t i = 0; i < whole.size(); ++i) {
      RunLog log;
      CHECK(log.take(whole.substr(0, i)) == RunLog::Taken::damaged);
      auto changed = whole;
      changed[i] = static_cast<char>(random());
      const auto taken = log.take(changed);
      ScannedRow row;
      CHECK(read_row(changed, row) == (taken == RunLog::Taken::row));
      CHECK(log.starts().size() <= 1);
    }
}
