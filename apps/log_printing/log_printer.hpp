// Prints the rows of logs, also while they grow.
#pragma once

#include "apps/folder/find_logs.hpp"
#include "apps/log_printing/row_formatter.hpp"
#include "apps/log_printing/row_merger.hpp"

#include <ostream>
#include <set>
#include <string>
#include <vector>

namespace troupe {

/// Prints the rows of logs that count, one log after the other or merged by time.
class LogPrinter : private LogTaker {
public:
  /// @param logs outlive the printer, as the streams do
  /// @param rows what it prints to; @param notes for people
  LogPrinter(const FoundLogs& logs, const RowFormat& format, bool merge, std::ostream& rows,
             std::ostream& notes);

  /// Prints the rows since the last call and forgets them, so that following a run for days takes
  /// no memory.
  /// @param growing an incomplete last line is left for the next call
  /// @throws IoError; DataError if a file is not the log of a run
  void print_new_rows(bool growing);

  /// Whether all runs have ended, as far as their logs were read.
  bool all_ended() const;
  /// Notes which of these records no row has had so far.
  void note_absent(const std::vector<std::string>& records) const;

private:
  struct PrintedLog {
    const FoundLog& found;
    RowFormatter formatter;
    std::size_t place;                 ///< among the logs
    std::string last_time = {};        ///< of the rows so far; "": none
    std::size_t taken = 0, starts = 0; ///< rows; starts of the run
  };

  bool restart() override { return false; } // what was printed stays
  void take(const ScannedRow& row, std::uint64_t, std::uint64_t, bool counts) override;
  void note_starts();
  void merge_pieces();

  bool merge_;
  std::ostream &rows_, &notes_;
  std::vector<PrintedLog> logs_;
  PrintedLog* log_ = nullptr; ///< which is read
  std::string lines_;         ///< not printed yet
  RowMerger merger_;
  std::set<std::string, std::less<>> names_; ///< of all records
};

} // namespace troupe
