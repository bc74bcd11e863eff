#pragma once

#include "base/types.hpp"
#include "messages/log/statistics.hpp"

#include <cstdint>
#include <filesystem>

namespace troupe {

/// The whole lines of a statistics file, names first; none where it is not there.
/// @throws DataError where it is no CSV.
std::vector<std::vector<std::string>> read_statistics(const std::filesystem::path& path);

/// A CSV file of statistics (RFC 4180): names first, then a line for each row, each handed to the
/// system at once, so that a process that is killed leaves whole lines. Rows are told apart by
/// their column "episode": one more of the newest row's episode takes its place, with what that
/// row had besides.
class StatisticsFile {
public:
  /// Nothing is written yet.
  /// @param columns the first ones; rows with others add theirs behind, empty in the rows before
  StatisticsFile(std::filesystem::path path, std::vector<std::string> columns);
  ~StatisticsFile();
  StatisticsFile(const StatisticsFile&) = delete;
  StatisticsFile& operator=(const StatisticsFile&) = delete;

  /// Begins with the names alone, whatever was there. @throws FileError
  void begin();
  /// Goes on with what is there: rows of the first so many episodes stay, counted from 0; later
  /// ones and what is no row of this file go. @throws FileError, DataError for a file that is no
  /// CSV
  void go_on(Step episodes);

  /// @pre it has begun, or goes on
  /// @throws FileError where the disk refuses it; the file is then without this row.
  void write(const StatisticsRow& row);

private:
  void add_columns(const StatisticsRow& row);
  /// Puts all of the file in place of what is there, and appends to it from then on.
  void replace(const std::string& text);
  std::string episode_of(const std::vector<std::string>& cells) const;

  std::filesystem::path path_;
  std::vector<std::string> columns_;
  int descriptor_ = -1;
  std::uint64_t end_ = 0;             ///< bytes of the file
  std::uint64_t newest_at_ = 0;       ///< where the line of the newest row begins
  std::vector<std::string> newest_{}; ///< its cells; none: there is no row
};

} // namespace troupe
