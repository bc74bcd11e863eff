#pragma once

#include "model/data/table/csv_table.hpp"

#include <map>
#include <numeric>
#include <string>
#include <vector>

namespace troupe {

/// Rows of a table, in ascending order. The first rows of a table take no memory.
class TableRows {
public:
  TableRows() = default;
  static TableRows first(Index count) {
    TableRows rows;
    rows.size_ = count;
    return rows;
  }

  /// @param row after the others
  void add(Index row) {
    if (listed_.empty() && row > size_) {
      listed_.resize(static_cast<std::size_t>(size_));
      std::iota(listed_.begin(), listed_.end(), Index{0});
    }
    if (row > size_ || !listed_.empty())
      listed_.push_back(row);
    ++size_;
  }

  Index size() const { return size_; }
  Index operator[](Index i) const {
    return listed_.empty() ? i : listed_[static_cast<std::size_t>(i)];
  }

private:
  Index size_ = 0;
  std::vector<Index> listed_; // unless they are the first ones
};

/// The missing cells of a column: the count of each word, "" for empty cells.
struct MissingCells {
  Index column = 0;
  std::map<std::string, Index> words = {};

  Index count() const;
};

/// The rows of a table that are used.
struct UsedRows {
  TableRows rows;
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
