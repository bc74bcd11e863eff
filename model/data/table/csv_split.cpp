#include "model/data/table/csv_split.hpp"

#include "base/failure.hpp"

#include <algorithm>

namespace troupe {

namespace {

/// @throws DataError if the cell names no section
Section section_in(const CsvTable& table, Index row, Index column) {
  const auto cell = table.cell(row, column);
  for (const auto section : {Section::train, Section::validation, Section::test}) {
    const auto name = to_string(section);
    if (std::equal(cell.begin(), cell.end(), name.begin(), name.end(),
                   [](char a, char b) { return (a >= 'A' && a <= 'Z' ? a - 'A' + 'a' : a) == b; }))
      return section;
  }
  throw DataError(table.place(row, column) + ": found \"" + std::string(cell)
                  + "\", expected train, validation or test, as the option split: column says; "
                    "correct the cell, or choose another split_column");
}

} // namespace

Split split_by_column(const CsvTable& table, Index column, const TableRows& rows) {
  Split split;
  for (Index i = 0; i < rows.size(); ++i)
    split.of(section_in(table, rows[i], column)).push_back(i);
  if (split.train.empty())
    throw DataError(table.place(0, column) + ": found no row with the word train among "
                    + std::to_string(rows.size()) + ", expected at least one; mark rows to train "
                    + "on, or choose another split_column");
  return split;
}

} // namespace troupe
