#include "actors/log/record_file.hpp"
#include "apps/folder/log_reader.hpp"
#include "apps/plots/log_columns.hpp"
#include "apps/run_index/log_summary.hpp"
#include "apps/run_index/trace.hpp"
#include "tests/support/program.hpp"

#include <catch2/catch.hpp>
#include <nlohmann/json.hpp>

#include <cmath>
#include <fstream>

using namespace troupe;
using namespace troupe::test;

namespace {

std::string dashboard_row(Step batch, const std::string& records, Epoch epoch = 0) {
  return R"({"run":"r","worker":0,"batch":)" + std::to_string(batch) + R"(,"epoch":)"
         + std::to_string(epoch) + R"(,"seconds":0.5,"time":"2026-01-31T12:00:)"
         + std::to_string(10 + batch) + R"(.000Z","records":)" + records + "}\n";
}

const std::string first_start = R"({"run":"r","id":"a","time":"2026-01-31T12:00:00.000Z"})"
                                "\n";
const std::string second_start
  = R"({"run":"r","id":"b","resumed_from":"a","resumed_at":{"0":2},"time":"2026-01-31T12:01:00.000Z"})"
    "\n";

struct FollowedLog {
  WorkFolder folder;
  LogReader log{folder.path() / "log.jsonl"};

  void write(const std::string& text) {
    std::ofstream{log.path(), std::ios::app | std::ios::binary} << text;
  }
};

std::vector<double> values_in(const LogColumns& columns, const std::string& record) {
  const auto* series = columns.find(0, record);
  if (series == nullptr)
    return {};
  return {series->values.begin(), series->values.end()};
}

} // namespace

TEST_CASE("a row is scanned as the program writes it", "[dashboard]") {
  ScannedRow row;
  REQUIRE(scan_row(
    R"({"run":"r","worker":3,"batch":12,"epoch":1,"seconds":2.5e-05,"time":"t","records":{"a":1.5,"b":true,"c":"NaN","d":"text","e":-3}})",
    row));
  CHECK(row.worker == 3);
  CHECK(row.batch == 12);
  CHECK(row.seconds == 2.5e-05);
  REQUIRE(row.records.size() == 5);
  CHECK(row.records[1].number == 1);
  CHECK(std::isnan(row.records[2].number));
  CHECK_FALSE(row.records[2].is_text);
  CHECK(row.records[4].number == -3);
  CHECK(row.records[3].is_text);
  CHECK(row.records[3].text == "text");
}

TEST_CASE("a line in another form is no scanned row", "[dashboard]") {
  ScannedRow row;
  for (
    const auto* line :
    {"", "{", R"({"run":"r","id":"a","time":"t"})",
     R"({"run":"r","worker":0,"batch":1,"epoch":0,"seconds":1,"time":"t","records":{"a":nan}})",
     R"({"run":"r","worker":0,"batch":1,"epoch":0,"seconds":1,"time":"t","records":{"a":1},})",
     R"({"run":"r","worker":0,"batch":1,"epoch":0,"seconds":1,"time":"t","records":{"a":1})",
     R"({"run":"r","worker":0,"batch":1,"epoch":0,"seconds":1,"time":"t","records":{"a":"\n"}})"})
    CHECK_FALSE(scan_row(line, row));
}

TEST_CASE("a row that is scanned has the values that a reader of JSON finds", "[log]") {
  for (const auto* records :
       {R"({"a":1.5,"b":true,"c":"NaN","d":"text","e":-3,"f":1e-05,"g":false,"h":"-Infinity"})",
        R"({"a":18446744073709551615,"b":-0.0,"c":9007199254740993})", R"({})",
        R"({"quoted \" name":1,"text":"a \"b\"\n","umlaut":"ä"})"}) {
    const auto line
      = R"({"run":"r","worker":3,"batch":12,"epoch":1,"seconds":2.5,"time":"t","records":)"
        + std::string{records} + "}";
    INFO(line);
    ScannedRow row;
    REQUIRE(read_row(line, row));
    const auto expected = logged_row(line);
    REQUIRE(expected);
    const auto read = logged_row(row);
    CHECK(read.run == expected->run);
    CHECK(read.row == expected->row);
    REQUIRE(read.records.size() == expected->records.size());
    for (const auto& [name, value] : expected->records) {
      CHECK(read.records.at(name).index() == value.index());
      CHECK(to_string(read.records.at(name)) == to_string(value));
    }
  }
}

TEST_CASE("a last line without a line feed counts once the log does not grow any more", "[log]") {
  FollowedLog followed;
  LogColumns columns;
  followed.write(dashboard_row(1, R"({"loss":3})"));
  const auto second = dashboard_row(2, R"({"loss":2})");
  followed.write(second.substr(0, second.size() - 1));
  followed.log.poll(columns);
  CHECK(values_in(columns, "loss") == std::vector<double>{3});
  LogReader whole{followed.log.path()};
  LogColumns all;
  whole.poll(all, false);
  CHECK(values_in(all, "loss") == std::vector<double>{3, 2});
  followed.write("\n{\"run\":\"r\",\"wor");
  LogReader half{followed.log.path()};
  half.poll(all, false);
  CHECK(half.damaged() == 1);
  CHECK(half.first_damaged() == followed.log.path().string() + ":3");
}

TEST_CASE("a growing log is read on from where it was, and half a line waits", "[dashboard]") {
  FollowedLog followed;
  LogColumns columns;
  followed.write(first_start + dashboard_row(1, R"({"loss":3})"));
  followed.log.poll(columns);
  CHECK(values_in(columns, "loss") == std::vector<double>{3});
  const auto second = dashboard_row(2, R"({"loss":2})");
  followed.write(second.substr(0, 40));
  followed.log.poll(columns);
  CHECK(followed.log.rows() == 1);
  followed.write(second.substr(40));
  followed.log.poll(columns);
  CHECK(values_in(columns, "loss") == std::vector<double>{3, 2});
  CHECK(followed.log.damaged() == 0);
}

TEST_CASE("rows beyond the checkpoint of a resumed run leave the columns", "[dashboard]") {
  FollowedLog followed;
  LogColumns columns;
  LogSummary summary;
  followed.write(first_start + dashboard_row(1, R"({"loss":3})") + dashboard_row(2, R"({"loss":2})")
                 + dashboard_row(3, R"({"loss":0.1})"));
  followed.log.poll(columns);
  followed.write(second_start + dashboard_row(3, R"({"loss":1})"));
  followed.log.poll(columns);
  CHECK(values_in(columns, "loss") == std::vector<double>{3, 2, 1});
  LogReader again{followed.log.path()};
  again.poll(summary);
  CHECK(summary.records().at("loss").best->value == 1);
  CHECK_FALSE(again.counts({0, 3}, 2));
  CHECK(again.counts({0, 3}, 3));
}

TEST_CASE("a replaced log is read from its first line", "[dashboard]") {
  FollowedLog followed;
  LogColumns columns;
  followed.write(dashboard_row(1, R"({"loss":3})") + dashboard_row(2, R"({"loss":2})"));
  followed.log.poll(columns);
  std::filesystem::remove(followed.log.path());
  followed.write(dashboard_row(1, R"({"loss":9})"));
  followed.log.poll(columns);
  CHECK(values_in(columns, "loss") == std::vector<double>{9});
}

TEST_CASE("a damaged line is counted and skipped", "[dashboard]") {
  FollowedLog followed;
  LogColumns columns;
  followed.write("garbage\n{\"records\":1}\n" + dashboard_row(1, R"({"loss":3})"));
  followed.log.poll(columns);
  CHECK(followed.log.damaged() == 2);
  CHECK(values_in(columns, "loss") == std::vector<double>{3});
}

TEST_CASE("the last order says whether a run is paused", "[dashboard]") {
  FollowedLog followed;
  LogSummary summary;
  followed.write(dashboard_row(1, R"({"control":"pause"})"));
  followed.log.poll(summary);
  CHECK(summary.paused());
  followed.write(dashboard_row(1, R"({"control":"set learning_rate=0.1"})"));
  followed.log.poll(summary);
  CHECK(summary.paused());
  followed.write(dashboard_row(1, R"({"control":"resume"})"));
  followed.log.poll(summary);
  CHECK_FALSE(summary.paused());
  CHECK(summary.acts().size() == 3);
}

TEST_CASE("the best value follows the record's name", "[dashboard]") {
  FollowedLog followed;
  LogSummary summary;
  followed.write(dashboard_row(1, R"({"validation_loss":2,"validation_accuracy":0.5,"x":1})")
                 + dashboard_row(2, R"({"validation_loss":3,"validation_accuracy":0.9,"x":2})"));
  followed.log.poll(summary);
  CHECK(summary.records().at("validation_loss").best->value == 2);
  CHECK(summary.records().at("validation_loss").last == 3);
  CHECK(summary.records().at("validation_accuracy").best->batch == 2);
  CHECK_FALSE(summary.records().at("x").best);
}

TEST_CASE("a trace has a span for each epoch, and checkpoints beside them", "[dashboard]") {
  FollowedLog followed;
  followed.write(dashboard_row(0, R"({"validation_loss":2})")
                 + dashboard_row(5, R"({"training_loss":2})", 1)
                 + dashboard_row(5, R"({"checkpoint_seconds":0.5})", 1)
                 + dashboard_row(9, R"({"training_loss":2})", 2));
  const auto trace = nlohmann::json::parse(trace_of({{"run", followed.log.path()}}));
  double epochs = 0;
  double checkpoints = 0;
  for (const auto& event : trace["traceEvents"])
    if (event["ph"] == "X")
      (event["tid"] == 1 ? epochs : checkpoints) += event["dur"].get<double>();
  CHECK(epochs == 9e6);
  CHECK(checkpoints == 0.5e6);
}

TEST_CASE("a trace has the time of each gate between two statuses", "[dashboard]") {
  const auto status = [](const std::string& second, double waited) {
    SpentTime spent;
    spent.seconds = 10;
    spent.batches = 4;
    spent.reading = 1;
    spent.gates["slow"].seconds = waited;
    const WriteStatus written{0, records_of(spent)};
    return R"({"run":"r","worker":0,"time":"2026-01-31T12:00:)" + second + R"(.000Z","status":)"
           + json_of(written.records).dump() + "}\n";
  };
  FollowedLog followed;
  followed.write(first_start + status("10", 2) + dashboard_row(5, R"({"training_loss":2})", 1)
                 + status("20", 5));
  std::vector<double> waited;
  const auto trace = nlohmann::json::parse(trace_of({{"run", followed.log.path()}}));
  for (const auto& event : trace["traceEvents"])
    if (event["ph"] == "C")
      waited.push_back(event["args"]["gate slow"].get<double>());
  CHECK(waited == std::vector<double>{2, 3});
}

TEST_CASE("the time of a row is its place on the axis of time", "[dashboard]") {
  FollowedLog followed;
  LogColumns columns;
  followed.write(dashboard_row(1, R"({"loss":3})") + dashboard_row(2, R"({"loss":2})"));
  followed.log.poll(columns);
  const auto* series = columns.find(0, "loss");
  REQUIRE(series != nullptr);
  const auto curve = columns.curve(0, *series, [](const RowPosition& row) { return row.time; });
  CHECK(curve.x == std::vector<double>{1769860811, 1769860812});
}
