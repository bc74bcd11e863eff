#pragma once

#include "model/data/table/csv_table.hpp"

#include <map>
#include <string>
#include <vector>

namespace troupe {

/// The cells of a column that miss their value: how many have which word, "" for nothing.
struct MissingCells {
  Index column = 0;
  std::map<std::string, Index> words = {};

  Index count() const;
};

/// The rows of a table that are used.
struct UsedRows {
  std::vector<Index> rows;
  std::vector<MissingCells> missing; ///< of the columns that are used and miss some
  bool complete = false;             ///< no row misses a cell; else none misses the label
};

/// The rows to use, by what the option `missing` says about missing cells.
/// @param task as read_target takes it
/// @throws DataError for a missing cell where that is an error, and where no row is left;
///         std::invalid_argument for another `missing`.
UsedRows used_rows(const CsvTable& table, const std::vector<Index>& features, Index label,
                   const std::string& missing, const std::string& task);

} // namespace troupe
