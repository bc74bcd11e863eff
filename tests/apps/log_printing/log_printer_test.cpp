#include "apps/folder/log_reader.hpp"
#include "apps/log_printing/log_printer.hpp"
#include "base/failure.hpp"
#include "tests/support/program.hpp"

#include <catch2/catch.hpp>

using namespace troupe;
using Catch::Matchers::Contains;

namespace {

std::string second_of(int batch) { return "2026-01-31T10:00:0" + std::to_string(batch) + "Z"; }

/// @param batch 0 to 9
std::string written_row(int batch) {
  return R"({"run":"r","worker":0,"batch":)" + std::to_string(batch)
         + R"(,"epoch":0,"seconds":0.5,"time":")" + second_of(batch) + R"(","records":{"loss":1}})"
         + "\n";
}

std::string printed_row(const std::string& log, int batch) {
  return second_of(batch) + "," + log + ",0," + std::to_string(batch) + ",0,0.5,loss,1\n";
}

/// The logs "a" and "b", which grow while they are printed as CSV.
struct GrowingLogs {
  test::WorkFolder folder;
  FoundLogs found;
  std::ostringstream rows, notes;

  GrowingLogs() {
    for (const auto* name : {"a", "b"})
      found.push_back({name, std::make_unique<LogReader>(folder.path() / name)});
  }

  void write(const std::string& log, const std::string& lines) const {
    std::ofstream{folder.path() / log, std::ios::app} << lines;
  }
  LogPrinter printer(bool merge) { return {found, {.csv = true}, merge, rows, notes}; }
  /// What was printed since the last call.
  std::string new_rows(LogPrinter& printer) {
    rows.str("");
    printer.print_new_rows(true);
    return rows.str();
  }
};

const std::string start_of_a = R"({"run":"r","id":"a","time":"2026-01-31T10:00:00Z"})"
                               "\n";

} // namespace

TEST_CASE("logs are printed one after the other, or merged by time", "[log]") {
  GrowingLogs logs;
  logs.write("a", written_row(1) + written_row(3));
  logs.write("b", written_row(2) + written_row(3));
  const auto a1 = printed_row("a", 1), a3 = printed_row("a", 3), b2 = printed_row("b", 2),
             b3 = printed_row("b", 3);
  SECTION("one after the other") {
    auto printer = logs.printer(false);
    CHECK(logs.new_rows(printer) == a1 + a3 + b2 + b3);
  }
  SECTION("merged") {
    auto printer = logs.printer(true);
    CHECK(logs.new_rows(printer) == a1 + b2 + a3 + b3);
  }
}

TEST_CASE("a row is printed once, as soon as all of its line is there", "[log]") {
  GrowingLogs logs;
  const auto merge = GENERATE(false, true);
  auto printer = logs.printer(merge);
  CHECK(logs.new_rows(printer).empty());
  const auto second = written_row(2);
  logs.write("a", written_row(1) + second.substr(0, 20));
  CHECK(logs.new_rows(printer) == printed_row("a", 1));
  logs.write("a", second.substr(20));
  CHECK(logs.new_rows(printer) == printed_row("a", 2));
  CHECK(logs.new_rows(printer).empty());
}

TEST_CASE("a run that resumes behind printed rows is noted, and its rows are printed again",
          "[log]") {
  GrowingLogs logs;
  auto printer = logs.printer(false);
  logs.write("a", start_of_a + written_row(1) + written_row(2));
  logs.new_rows(printer);
  CHECK(logs.notes.str().empty());
  logs.write(
    "a",
    R"({"run":"r","id":"c","resumed_from":"a","resumed_at":{"0":1},"time":"2026-01-31T10:00:05Z"})"
    "\n"
      + written_row(2));
  CHECK(logs.new_rows(printer) == printed_row("a", 2));
  CHECK_THAT(logs.notes.str(), Contains("'a' continues from a checkpoint"));
}

TEST_CASE("all logs have ended once the last line of each is read", "[log]") {
  GrowingLogs logs;
  auto printer = logs.printer(false);
  const auto end = R"({"run":"r","id":"a","ended":true,"time":"2026-01-31T10:00:09Z"})"
                   "\n";
  logs.write("a", start_of_a + end);
  logs.write("b", start_of_a);
  logs.new_rows(printer);
  CHECK_FALSE(printer.all_ended());
  logs.write("b", end);
  logs.new_rows(printer);
  CHECK(printer.all_ended());
}

TEST_CASE("a record that no row has is noted with the nearest name of one that some have",
          "[log]") {
  GrowingLogs logs;
  auto printer = logs.printer(false);
  logs.write("b", written_row(1));
  logs.new_rows(printer);
  printer.note_absent({"loss", "lose"});
  CHECK(logs.notes.str() == "troupe: no row has a record 'lose'; did you mean 'loss'?\n");
}

TEST_CASE("a file that has no row of a run is refused", "[log][errors]") {
  GrowingLogs logs;
  auto printer = logs.printer(false);
  logs.write("b", "x,y\n1,2\n");
  CHECK_THROWS_AS(printer.print_new_rows(true), DataError);
}
