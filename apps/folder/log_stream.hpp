// A run's log, read through row by row: however long it is, one row at a time is held.
#pragma once

#include "apps/folder/run_log.hpp"

#include <filesystem>
#include <functional>
#include <set>
#include <string>
#include <vector>

namespace troupe {

/// One file of log.jsonl, as it stands.
class LogStream {
public:
  /// Reads what tells which rows count. @throws IoError
  explicit LogStream(std::filesystem::path file);

  /// The log without its rows: its starts, and what holds for its workers at its end.
  const RunLog& head() const { return head_; }

  using Visit = std::function<void(const LoggedRow& row)>;
  /// Calls `visit` with each row that counts, in the order in which they were written. What a run
  /// that went on wrote to its checkpoint's row once more comes twice; the later one holds.
  /// @throws IoError
  void each_row(const Visit& visit) const;

private:
  std::filesystem::path file_;
  RunLog head_;
};

/// Those of a run: in its folder, and in those of its workers. @throws IoError where there are none
std::vector<LogStream> log_streams(const std::filesystem::path& run);

/// The last value of a record in the log of a run's folder; NaN where there is none.
/// @throws IoError
double last_record(const std::filesystem::path& folder, const std::string& name);

/// The names of all records there. @throws IoError
std::set<std::string> recorded_names(const std::filesystem::path& folder);

} // namespace troupe
