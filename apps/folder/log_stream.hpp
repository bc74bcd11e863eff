// Reads a run's log row by row: however long the log is, one row at a time is in memory.
#pragma once

#include "apps/folder/run_log.hpp"
#include "extensions/support/logged_rows.hpp"

#include <filesystem>
#include <functional>
#include <set>
#include <string>
#include <vector>

namespace troupe {

/// One log.jsonl as it is when opened.
class LogStream {
public:
  /// Reads all lines but the rows, to know which rows count. @throws IoError
  explicit LogStream(std::filesystem::path file);

  /// The log without its rows: its starts, and the final status of its workers.
  const RunLog& head() const { return head_; }

  using Visit = std::function<void(const LoggedRow& row)>;
  /// Calls `visit` with each row that counts, in the order of writing. If a resumed run wrote to
  /// its checkpoint's row again, that row comes twice, and the later one holds.
  /// @throws IoError
  void each_row(const Visit& visit) const;

private:
  std::filesystem::path file_;
  RunLog head_;
};

/// The logs of a run: in its folder and in those of its workers. @throws IoError if there are none
std::vector<LogStream> log_streams(const std::filesystem::path& run);

/// Hands each row that counts of a run's log to `take`: what an extension reads an earlier run
/// with.
/// @param path the run's folder, or a file in it. @throws IoError
void read_logged_rows(const std::filesystem::path& path, const TakeLoggedRow& take);

/// The last value of a record in the log of a run's folder; NaN if there is none.
/// @throws IoError
double last_record(const std::filesystem::path& folder, const std::string& name);

/// The names of all records there. @throws IoError
std::set<std::string> recorded_names(const std::filesystem::path& folder);

} // namespace troupe
