#include "apps/log_printing/row_merger.hpp"

#include <catch2/catch.hpp>

#include <sstream>

using namespace troupe;

namespace {

std::string merged(RowMerger& merger, const std::string& before = "") {
  std::ostringstream lines;
  merger.print(before, lines);
  return lines.str();
}

} // namespace

TEST_CASE("rows of several logs are in the order of their times", "[log]") {
  RowMerger merger;
  merger.add("10:02", 0, "c ");
  merger.add("10:00", 1, "a ");
  merger.add("10:01", 0, "b ");
  CHECK(merged(merger) == "a b c ");
}

TEST_CASE("rows of one time are in the order of their logs, and of a log in that of its rows",
          "[log]") {
  RowMerger merger;
  merger.add("10:00", 1, "c ");
  merger.add("10:00", 0, "a ");
  merger.add("10:00", 1, "d ");
  merger.add("10:00", 0, "b ");
  CHECK(merged(merger) == "a b c d ");
}

TEST_CASE("rows that an earlier one may still precede are kept, and each is printed once",
          "[log]") {
  RowMerger merger;
  merger.add("10:00", 0, "a ");
  merger.add("10:02", 0, "c ");
  CHECK(merged(merger, "10:02") == "a ");
  merger.add("10:01", 1, "b ");
  CHECK(merged(merger) == "b c ");
  CHECK(merged(merger).empty());
}
