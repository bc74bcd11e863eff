#pragma once

#include "base/types.hpp"
#include "messages/log/statistics.hpp"

#include <cstdint>
#include <filesystem>

namespace troupe {

/// The complete lines of a statistics file, column names first; none if it does not exist.
/// @throws DataError if it is no CSV.
std::vector<std::vector<std::string>> read_statistics(const std::filesystem::path& path);

/// A CSV file of statistics (RFC 4180): names first, then one line for each row. Each is written to
/// the system at once, so that a killed process leaves complete lines. Rows are identified by their
/// column "episode": another row of the newest episode replaces the newest one, and keeps its other
/// columns.
class StatisticsFile {
public:
  /// Writes nothing yet.
  /// @param columns the first ones; rows with others append theirs, which are empty in the rows
  /// before
  StatisticsFile(std::filesystem::path path, std::vector<std::string> columns);
  ~StatisticsFile();
  StatisticsFile(const StatisticsFile&) = delete;
  StatisticsFile& operator=(const StatisticsFile&) = delete;

  /// Starts with the names alone, replacing an existing file. @throws IoError
  void begin();
  /// Continues an existing file: rows of the first `episodes` episodes stay, counted from 0; later
  /// ones and lines that are no rows are removed. @throws IoError, DataError for a file that is
  /// no CSV
  void resume(Step episodes);

  /// @pre begin or resume was called
  /// @throws IoError if the disk refuses it; the file then does not contain this row.
  void write(const StatisticsRow& row);

private:
  void add_columns(const StatisticsRow& row);
  /// Replaces the whole file, and appends to it from then on.
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
