#include "messages/control/recent_rows.hpp"

#include <catch2/catch.hpp>

using namespace troupe;

namespace {

/// Rows of one record each, of the batches 1 to `batches`.
RecentRows rows_of(Step batches, std::size_t kept = 1000) {
  RecentRows rows{kept};
  for (Step batch = 1; batch <= batches; ++batch) {
    Row row;
    row.row.batch = batch;
    row.records["loss"] = Value{1.0};
    rows.add(row);
  }
  return rows;
}

} // namespace

TEST_CASE("the last rows are read first, then what follows them", "[recent_rows]") {
  auto rows = rows_of(20);
  const auto last = rows.read(0, 10);
  REQUIRE(last.rows.size() == 10);
  CHECK(last.rows.front()->row.batch == 11);
  CHECK(last.next == 21);
  CHECK(last.missed == 0);
  CHECK(last.at_end);
  CHECK(rows.read(last.next, 10).rows.empty());
  CHECK(rows.read(100, 10).next == 21); // from beyond the end
}

TEST_CASE("more rows are wanted than there are", "[recent_rows]") {
  CHECK(rows_of(3).read(0, 10).rows.size() == 3);
  CHECK(rows_of(0).read(0, 10).next == 1);
}

TEST_CASE("rows that are no longer kept are counted as missed", "[recent_rows]") {
  const auto rows = rows_of(20, 5);
  const auto excerpt = rows.read(3, 10);
  CHECK(excerpt.missed == 13);
  REQUIRE(excerpt.rows.size() == 5);
  CHECK(excerpt.rows.front()->row.batch == 16);
}

TEST_CASE("a long log is read in pieces", "[recent_rows]") {
  const auto rows = rows_of(900);
  const auto first = rows.read(1, 10);
  CHECK(first.rows.size() == 500);
  CHECK_FALSE(first.at_end);
  const auto second = rows.read(first.next, 10);
  CHECK(second.rows.size() == 400);
  CHECK(second.at_end);
}

TEST_CASE("the newest row is kept, however many records it has", "[recent_rows]") {
  CHECK(rows_of(2, 0).read(0, 10).rows.size() == 1);
}
