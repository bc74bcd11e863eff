#pragma once

#include "base/types.hpp"
#include "model/data/table/csv_column_forms.hpp"
#include "model/data/table/csv_missing.hpp"

#include <string>
#include <string_view>
#include <vector>

namespace troupe {

/// The cells of a file, in rows of the same length.
struct CsvCells {
  CsvCells(std::string file_name, std::string file_text, MissingWords missing_words);
  CsvCells(const CsvCells&) = delete; // cells are views into `text`
  CsvCells& operator=(const CsvCells&) = delete;
  ~CsvCells() = default;

  Index rows() const { return static_cast<Index>(lines.size()); }
  std::string_view cell(Index row, Index column) const {
    return values[static_cast<std::size_t>(row * columns + column)];
  }
  bool is_missing(Index row, Index column) const { return missing.contains(cell(row, column)); }

  /// Finds the forms of each column's cells, from this row on.
  void find_forms(Index first_row);

  /// "penguins.csv, line 7, column 3"
  std::string place(Index row, Index column) const;

  std::string file;
  std::string text;
  MissingWords missing;
  Index columns = 0;
  std::vector<std::string_view> values; ///< [rows, columns]
  std::vector<Index> lines;             ///< line at which each row begins, from 1
  std::vector<ColumnForms> forms;       ///< of each column
};

} // namespace troupe
