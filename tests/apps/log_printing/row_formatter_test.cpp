#include "apps/log_printing/row_formatter.hpp"

#include <catch2/catch.hpp>

using namespace troupe;

namespace {

const std::string begin_of_row
  = R"("run":"r","worker":3,"batch":12,"epoch":1,"seconds":2.5,"time":"t","records":)";
const std::string four_records = R"({"a":1.5,"b":true,"c":"NaN","d":"x, \"y\""})";

std::string formatted(const ScannedRow& row, const RowFormat& format,
                      const std::string& log = "worker-3") {
  std::string lines;
  RowFormatter{log, format}.append(lines, row);
  return lines;
}

std::string formatted(const std::string& records, const RowFormat& format,
                      const std::string& log = "worker-3") {
  const auto line = "{" + begin_of_row + records + "}";
  ScannedRow row;
  REQUIRE(read_row(line, row));
  return formatted(row, format, log);
}

} // namespace

TEST_CASE("a row is printed as it was written, with the name of its log", "[log]") {
  CHECK(formatted(four_records, {})
        == R"({"log":"worker-3",)" + begin_of_row + four_records + "}\n");
  CHECK(formatted(four_records, {}, R"(a "b")").starts_with(R"({"log":"a \"b\"","run":"r",)"));
}

TEST_CASE("a row that was stored is printed like one that was written", "[log]") {
  const auto stored = logged_row("{" + begin_of_row + four_records + "}");
  REQUIRE(stored);
  ScannedRow row;
  scan(*stored, row);
  CHECK(formatted(row, {}) == formatted(four_records, {}));
}

TEST_CASE("only the wanted records of a row are printed", "[log]") {
  CHECK(formatted(four_records, {.records = {"c", "b", "e"}})
        == R"({"log":"worker-3",)" + begin_of_row + R"({"b":true,"c":"NaN"}})" + "\n");
  CHECK(formatted(four_records, {.csv = true, .records = {"b"}})
        == "t,worker-3,3,12,1,2.5,b,true\n");
}

TEST_CASE("a row without a wanted record has no line", "[log]") {
  for (const auto csv : {false, true}) {
    CHECK(formatted(four_records, {.csv = csv, .records = {"e"}}).empty());
    CHECK(formatted("{}", {.csv = csv}).empty());
  }
}

TEST_CASE("a row is a CSV line for each of its records, with quotes where they are needed",
          "[log]") {
  CHECK(formatted(four_records, {.csv = true}, "a,b")
        == "t,\"a,b\",3,12,1,2.5,a,1.5\n"
           "t,\"a,b\",3,12,1,2.5,b,true\n"
           "t,\"a,b\",3,12,1,2.5,c,NaN\n"
           "t,\"a,b\",3,12,1,2.5,d,\"x, \"\"y\"\"\"\n");
}
