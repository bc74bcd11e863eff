#include "model/data/table/csv_rows.hpp"

#include <catch2/catch.hpp>

using namespace troupe;

namespace {

std::vector<Index> listed(const TableRows& rows) {
  std::vector<Index> all;
  for (Index i = 0; i < rows.size(); ++i)
    all.push_back(rows[i]);
  return all;
}

} // namespace

TEST_CASE("rows of a table keep their order, with gaps and without", "[csv_rows]") {
  CHECK(listed(TableRows::first(3)) == std::vector<Index>{0, 1, 2});
  for (const auto& expected :
       std::vector<std::vector<Index>>{{}, {0}, {0, 1, 2}, {0, 1, 4, 5}, {3}, {3, 4}, {0, 2}}) {
    TableRows rows;
    for (const auto row : expected)
      rows.add(row);
    CHECK(listed(rows) == expected);
  }
}
