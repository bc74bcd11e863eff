// Follows the log.jsonl of a run: hands on the rows that count.
#pragma once

#include "apps/folder/run_log.hpp"
#include "apps/run_index/log_scanner.hpp"
#include "base/files/growing_file.hpp"

#include <map>
#include <string>
#include <vector>

namespace troupe {

/// Takes what a log says.
class LogTaker {
public:
  virtual ~LogTaker() = default;
  /// Begin anew: rows that were taken do not count any more, since the run was resumed from an
  /// earlier checkpoint, or the file was replaced.
  virtual void restart() = 0;
  /// @param number of the row in the file, from 0, those included that do not count
  /// @param offset of its line
  /// @param counts whether no later start of the run has superseded it
  virtual void take(const ScannedRow& row, std::uint64_t number, std::uint64_t offset, bool counts)
    = 0;
};

/// A row in another form than the scanner reads, as views into `row`.
ScannedRow scanned(const LoggedRow& row);

class LogReader {
public:
  explicit LogReader(std::filesystem::path file) : file_(std::move(file)) {}

  /// Reads what was written since the last call.
  void poll(LogTaker& taker);

  /// The log without its rows: its starts, and the status of its workers.
  const RunLog& head() const { return head_; }
  std::uint64_t rows() const { return rows_; }       ///< those included that do not count
  std::uint64_t damaged() const { return damaged_; } ///< lines that were skipped
  /// Whether no start of the run has superseded the row of that number.
  bool counts(const RowKey& row, std::uint64_t number) const;
  std::uint64_t bytes_read() const { return file_.bytes_read(); }
  const std::filesystem::path& path() const { return file_.path(); }

private:
  struct Start {
    std::uint64_t row = 0; ///< number of the first row after it
    LogStart start;
  };

  void take_line(std::string_view line, std::uint64_t offset, LogTaker& taker);
  bool take_other(std::string_view line);
  bool voids_rows(const LogStart& start) const;
  void begin_anew();

  GrowingFile file_;
  RunLog head_;
  ScannedRow row_;
  std::uint64_t rows_ = 0, damaged_ = 0;
  std::map<WorkerId, Step> furthest_; ///< batch of a row, by worker
  std::vector<Start> starts_;
  bool again_ = false;    ///< a start has voided rows that were handed on
  std::size_t known_ = 0; ///< starts that were read before `again_`
};

} // namespace troupe
