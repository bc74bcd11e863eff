#pragma once

#include "model/data/table/csv_table.hpp"

#include <map>
#include <string>
#include <vector>

namespace troupe {

/// The missing cells of a column: the count of each word, "" for empty cells.
struct MissingCells {
  Index column = 0;
  std::map<std::string, Index> words = {};

  Index count() const;
};

/// The rows of a table that are used.
struct UsedRows {
  std::vector<Index> rows;
  std::vector<MissingCells> missing; ///< for the columns that are used and have missing cells
  bool complete = false;             ///< no row has a missing cell; false: only the label has none
};

/// The rows to use, by what the option `missing` says about missing cells.
/// @param task as in read_target
/// @throws DataError for a missing cell if that is an error, and if no row is left;
///         std::invalid_argument for another `missing`
UsedRows used_rows(const CsvTable& table, const std::vector<Index>& features, Index label,
                   const std::string& missing, const std::string& task);

} // namespace troupe
