#include "base/failure.hpp"
#include "model/data/table/foreign_table.hpp"

#include <catch2/catch.hpp>

using namespace troupe;
using Catch::Contains;

TEST_CASE("a file of another format is refused with its name and how to make CSV of it", "[csv]") {
  const auto refused = [](const std::string& bytes, const std::string& sentence) {
    CHECK_THROWS_WITH(refuse_foreign_table(bytes, "t.csv"), Contains("t.csv is " + sentence));
    CHECK_THROWS_AS(refuse_foreign_table(bytes, "t.csv"), DataError);
  };
  refused("PK\3\4 and more", "a ZIP archive, as spreadsheets are, not CSV; save the sheet as CSV");
  refused("\xd0\xcf\x11\xe0", "a spreadsheet, not CSV");
  refused("PAR1", "a Parquet file, not CSV");
  refused("SQLite format 3", "a database of SQLite, not CSV");
  refused("{\"a\": 1}\n", "JSON, not CSV");
  refused("[{\"a\": 1}]", "JSON, not CSV");
  refused("<!DOCTYPE html>", "a web page, not CSV; download the table itself");
}

TEST_CASE("a table is not mistaken for another format", "[csv]") {
  for (const auto* text : {"", "a,b\n1,2\n", "pk,b\n1,2\n", "{a},b\n", "<5,>5\n1,2\n", "[1],2\n"})
    CHECK_NOTHROW(refuse_foreign_table(text, "t.csv"));
}
