#include "messages/log/log_table.hpp"

#include <catch2/catch.hpp>

using namespace troupe;

namespace {

Write record(WorkerId worker, Step batch, const std::string& name, double value,
             const std::string& settles = "") {
  return {
    {worker, batch}, batch / 10, 0.5 * static_cast<double>(batch), {{name, Value{value}}}, settles};
}

} // namespace

TEST_CASE("records of one row are joined, and a later one replaces an earlier one", "[log_table]") {
  LogTable table;
  table.write(record(0, 3, "loss", 1));
  table.write(record(0, 3, "accuracy", 0.5));
  table.write(record(0, 3, "loss", 2));
  const auto row = table.row({0, 3});
  CHECK(row.records == Records{{"accuracy", Value{0.5}}, {"loss", Value{2.0}}});
  CHECK(row.seconds == 1.5);
}

TEST_CASE("a row that was not written is empty", "[log_table]") {
  LogTable table;
  CHECK(table.row({1, 2}) == Row{{1, 2}, 0, 0, {}});
}

TEST_CASE("rows are queried by worker and range, both ends included", "[log_table][B47]") {
  LogTable table;
  for (Step batch = 0; batch < 10; ++batch) {
    table.write(record(0, batch, "loss", 0));
    table.write(record(1, batch, "loss", 1));
  }
  const auto rows = table.rows({1, 3, 5});
  REQUIRE(rows.size() == 3);
  CHECK(rows.front().row == RowKey{1, 3});
  CHECK(rows.back().row == RowKey{1, 5});
  CHECK(table.rows({2, 0, 9}).empty());
  CHECK(table.rows({0, 5, 3}).empty());
}

TEST_CASE("a row settles when all announced writers have written", "[log_table]") {
  LogTable table;
  CHECK(table.settled({0, 7}));
  table.expect({{0, 7}, "validation"});
  table.expect({{0, 7}, "test"});
  CHECK_FALSE(table.settled({0, 7}));
  table.write(record(0, 7, "loss", 1, "validation"));
  CHECK_FALSE(table.settled({0, 7}));
  table.write(record(0, 7, "other", 1));
  CHECK_FALSE(table.settled({0, 7}));
  table.write(record(0, 7, "test_loss", 1, "test"));
  CHECK(table.settled({0, 7}));
}

TEST_CASE("an announced writer may settle a row without records", "[log_table]") {
  LogTable table;
  table.expect({{0, 7}, "validation"});
  table.write(Write{{0, 7}, 0, 0, {}, "validation"});
  CHECK(table.settled({0, 7}));
}

TEST_CASE("one worker's announcement delays no other worker's row", "[log_table]") {
  LogTable table;
  table.expect({{1, 7}, "validation"});
  CHECK(table.settled({0, 7}));
}

TEST_CASE("the oldest rows of the writer make room", "[log_table]") {
  LogTable table{8}; // two of each: the row itself and its record
  table.write(record(1, 0, "loss", 0));
  for (Step batch = 0; batch < 10; ++batch)
    table.write(record(0, batch, "loss", 0));
  CHECK(table.rows({1, 0, 9}).size() == 1);
  const auto rows = table.rows({0, 0, 9});
  REQUIRE(rows.size() == 3);
  CHECK(rows.front().row.batch == 7);
}

TEST_CASE("the first row of a writer is not dropped for itself", "[log_table]") {
  LogTable table{4};
  table.write(record(0, 1, "loss", 0));
  table.write(record(0, 2, "loss", 0));
  table.write(record(1, 5, "loss", 0));
  CHECK(table.rows({1, 0, 9}).size() == 1);
  CHECK(table.rows({0, 0, 9}).size() == 1);
}

TEST_CASE("rows with many records make room earlier, and the newest is kept in any case",
          "[log_table]") {
  LogTable table{8};
  for (Step batch = 0; batch < 3; ++batch)
    table.write(record(0, batch, "loss", 0));
  for (const auto* name : {"a", "b", "c", "d"})
    table.write(record(0, 3, name, 0));
  const auto rows = table.rows({0, 0, 9});
  REQUIRE(rows.size() == 2);
  CHECK(rows.front().row.batch == 2);
  for (int i = 0; i < 9; ++i)
    table.write(record(0, 3, "norm " + std::to_string(i), 0));
  CHECK(table.rows({0, 0, 9}).size() == 1);
  CHECK(table.row({0, 3}).records.size() == 13);
}

TEST_CASE("a value that replaces another needs no room", "[log_table]") {
  LogTable table{4};
  table.write(record(0, 1, "loss", 0));
  for (int i = 0; i < 9; ++i)
    table.write(record(0, 2, "loss", i));
  CHECK(table.rows({0, 0, 9}).size() == 2);
}

TEST_CASE("status is kept by worker, and the newest values win", "[log_table][B4]") {
  LogTable table;
  table.write(WriteStatus{0, {{"epochs_done", Value{std::int64_t{1}}}}});
  table.write(WriteStatus{0, {{"epochs_done", Value{std::int64_t{2}}}, {"outcome", Value{"x"}}}});
  CHECK(table.status(0)
        == Records{{"epochs_done", Value{std::int64_t{2}}}, {"outcome", Value{"x"}}});
  CHECK(table.status(1).empty());
}
