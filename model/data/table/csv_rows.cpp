#include "model/data/table/csv_rows.hpp"

#include "base/failure.hpp"
#include "model/data/table/csv_features.hpp"
#include "model/data/table/csv_text.hpp"

#include <numeric>
#include <stdexcept>

namespace troupe {

namespace {

std::string found_no_value(const CsvTable& table, Index row, Index column) {
  const auto cell = without_blanks(table.cell(row, column));
  return table.place(row, column) + ": found no value"
         + (cell.empty() ? "" : " but " + shown_cell(cell)) + ", expected one; fill the cell, set "
         + "problem.missing=drop or problem.missing=mean, ";
}

std::string missing_feature(const CsvTable& table, Index row, Index column) {
  return found_no_value(table, row, column)
         + "or ignore the column with problem.ignore=" + list_of_one(table.name(column))
         + (without_blanks(table.cell(row, column)).empty()
              ? ""
              : "; where such words are values, set problem.missing_words=[]");
}

std::string missing_label(const CsvTable& table, Index row, Index label) {
  return found_no_value(table, row, label)
         + "which leave the row out, or choose another column to predict with problem.label";
}

} // namespace

Index MissingCells::count() const {
  return std::accumulate(words.begin(), words.end(), Index{0},
                         [](Index sum, const auto& word) { return sum + word.second; });
}

UsedRows used_rows(const CsvTable& table, const std::vector<Index>& features, Index label,
                   const std::string& missing, const std::string& task) {
  if (missing != "error" && missing != "drop" && missing != "mean")
    throw std::invalid_argument("csv: missing is \"" + missing + "\"; write error, drop or mean");
  const bool numeric = task != "classification" && table.forms(label).are_numbers();
  UsedRows used{.rows = {}, .missing = {}, .complete = missing != "mean"};
  std::map<Index, MissingCells> missing_cells;
  const auto count = [&](Index row, Index column) {
    if (missing == "error")
      throw DataError(column == label ? missing_label(table, row, column)
                                      : missing_feature(table, row, column));
    ++missing_cells[column].words[std::string(without_blanks(table.cell(row, column)))];
  };
  std::vector<std::pair<Index, CellCursor>> holed; // the features that miss cells
  for (const auto column : features)
    if (table.forms(column).known() < table.rows())
      holed.emplace_back(column, table.cells(column));
  auto labels = table.cells(label);
  const auto& words = table.words(label);
  bool labelled = false;
  for (Index row = 0; row < table.rows(); ++row) {
    bool hole = false;
    for (auto& [column, cells] : holed)
      if (cells.is_missing(row)) {
        count(row, column);
        hole = true;
      }
    // In the label only an empty cell is missing; if its other cells are numbers, the missing words
    // count too.
    const bool unlabelled
      = labels.is_missing(row) && (numeric || without_blanks(words[labels.word(row)]).empty());
    labelled = labelled || !unlabelled;
    if (unlabelled)
      count(row, label);
    if (!unlabelled && (missing == "mean" || !hole))
      used.rows.add(row);
  }
  if (used.rows.size() == 0)
    throw DataError(table.place(0, label) + ": found no row without missing cells"
                    + (labelled
                         ? "; set problem.missing=mean, or ignore columns with problem.ignore"
                         : " in the label; choose another label"));
  for (auto& [column, of_column] : missing_cells) {
    of_column.column = column;
    used.missing.push_back(std::move(of_column));
  }
  return used;
}

} // namespace troupe
