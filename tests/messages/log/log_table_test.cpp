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

TEST_CASE("records of one row come together, a later one replaces an earlier", "[log_book]") {
  LogTable book;
  book.write(record(0, 3, "loss", 1));
  book.write(record(0, 3, "accuracy", 0.5));
  book.write(record(0, 3, "loss", 2));
  const auto row = book.row({0, 3});
  CHECK(row.records == Records{{"accuracy", Value{0.5}}, {"loss", Value{2.0}}});
  CHECK(row.seconds == 1.5);
}

TEST_CASE("a row that nobody wrote is empty", "[log_book]") {
  LogTable book;
  CHECK(book.row({1, 2}) == Row{{1, 2}, 0, 0, {}});
}

TEST_CASE("rows are asked for by worker and range, both ends included", "[log_book][B47]") {
  LogTable book;
  for (Step batch = 0; batch < 10; ++batch) {
    book.write(record(0, batch, "loss", 0));
    book.write(record(1, batch, "loss", 1));
  }
  const auto rows = book.rows({1, 3, 5});
  REQUIRE(rows.size() == 3);
  CHECK(rows.front().row == RowKey{1, 3});
  CHECK(rows.back().row == RowKey{1, 5});
  CHECK(book.rows({2, 0, 9}).empty());
  CHECK(book.rows({0, 5, 3}).empty());
}

TEST_CASE("a row settles when all who announced themselves have written", "[log_book]") {
  LogTable book;
  CHECK(book.settled({0, 7}));
  book.expect({{0, 7}, "validation"});
  book.expect({{0, 7}, "test"});
  CHECK_FALSE(book.settled({0, 7}));
  book.write(record(0, 7, "loss", 1, "validation"));
  CHECK_FALSE(book.settled({0, 7}));
  book.write(record(0, 7, "other", 1));
  CHECK_FALSE(book.settled({0, 7}));
  book.write(record(0, 7, "test_loss", 1, "test"));
  CHECK(book.settled({0, 7}));
}

TEST_CASE("who announced records may settle without any", "[log_book]") {
  LogTable book;
  book.expect({{0, 7}, "validation"});
  book.write(Write{{0, 7}, 0, 0, {}, "validation"});
  CHECK(book.settled({0, 7}));
}

TEST_CASE("one worker's announcement holds up no other worker's row", "[log_book]") {
  LogTable book;
  book.expect({{1, 7}, "validation"});
  CHECK(book.settled({0, 7}));
}

TEST_CASE("the oldest rows of the writer make room", "[log_book]") {
  LogTable book{8}; // of two each: the row itself and its record
  book.write(record(1, 0, "loss", 0));
  for (Step batch = 0; batch < 10; ++batch)
    book.write(record(0, batch, "loss", 0));
  CHECK(book.rows({1, 0, 9}).size() == 1);
  const auto rows = book.rows({0, 0, 9});
  REQUIRE(rows.size() == 3);
  CHECK(rows.front().row.batch == 7);
}

TEST_CASE("the first row of a writer does not make room for itself", "[log_book]") {
  LogTable book{4};
  book.write(record(0, 1, "loss", 0));
  book.write(record(0, 2, "loss", 0));
  book.write(record(1, 5, "loss", 0));
  CHECK(book.rows({1, 0, 9}).size() == 1);
  CHECK(book.rows({0, 0, 9}).size() == 1);
}

TEST_CASE("rows of many records make room earlier, the newest stays whatever it holds",
          "[log_book]") {
  LogTable book{8};
  for (Step batch = 0; batch < 3; ++batch)
    book.write(record(0, batch, "loss", 0));
  for (const auto* name : {"a", "b", "c", "d"})
    book.write(record(0, 3, name, 0));
  const auto rows = book.rows({0, 0, 9});
  REQUIRE(rows.size() == 2);
  CHECK(rows.front().row.batch == 2);
  for (int i = 0; i < 9; ++i)
    book.write(record(0, 3, "norm " + std::to_string(i), 0));
  CHECK(book.rows({0, 0, 9}).size() == 1);
  CHECK(book.row({0, 3}).records.size() == 13);
}

TEST_CASE("a value that replaces another takes no room", "[log_book]") {
  LogTable book{4};
  book.write(record(0, 1, "loss", 0));
  for (int i = 0; i < 9; ++i)
    book.write(record(0, 2, "loss", i));
  CHECK(book.rows({0, 0, 9}).size() == 2);
}

TEST_CASE("status is kept by worker, newest values win", "[log_book][B4]") {
  LogTable book;
  book.write(WriteStatus{0, {{"epochs_done", Value{std::int64_t{1}}}}});
  book.write(WriteStatus{0, {{"epochs_done", Value{std::int64_t{2}}}, {"outcome", Value{"x"}}}});
  CHECK(book.status(0)
        == Records{{"epochs_done", Value{std::int64_t{2}}}, {"outcome", Value{"x"}}});
  CHECK(book.status(1).empty());
}
