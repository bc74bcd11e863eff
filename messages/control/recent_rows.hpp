#pragma once

#include "messages/log/log.hpp"

#include <cstdint>
#include <deque>
#include <vector>

namespace troupe {

/// The newest rows of a log, for those who follow it. Rows are numbered from 1, whether they are
/// still kept or not.
class RecentRows {
public:
  /// @param records that are kept, in rows; the newest row is kept however many it has
  explicit RecentRows(std::size_t records = 0) : most_records_(records) {}

  void add(const Row& row);

  struct Excerpt {
    std::vector<const Row*> rows; ///< valid until the next row comes
    std::uint64_t next = 1;       ///< number of the row after them
    std::uint64_t missed = 0;     ///< rows from the wanted one on that are no longer kept
    bool at_end = false;          ///< no row comes after them so far
  };

  /// @param from number of the first row wanted; 0: the last `last_rows`
  Excerpt read(std::uint64_t from, std::uint64_t last_rows) const;

private:
  static constexpr std::uint64_t rows_at_once = 500;

  std::size_t most_records_;
  std::deque<Row> rows_;    ///< each has a record
  std::size_t records_ = 0; ///< of these
  std::uint64_t first_ = 1; ///< number of the first row that is kept
};

} // namespace troupe
