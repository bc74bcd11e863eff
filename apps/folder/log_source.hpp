// Where a log is read from: a file or a store. Both may grow while they are read.
#pragma once

#include "apps/folder/counted_rows.hpp"
#include "apps/folder/log_scanner.hpp"
#include "apps/folder/run_log.hpp"
#include "base/files/growing_file.hpp"

#include <filesystem>
#include <functional>
#include <string>
#include <utility>

namespace troupe {

/// Takes what a log says.
class LogTaker {
public:
  virtual ~LogTaker() = default;
  /// Begin anew: rows that were taken do not count any more, since the run was resumed from an
  /// earlier checkpoint, or the file was replaced.
  /// @returns whether all rows shall come again; otherwise only new ones follow, unless the file was
  /// replaced.
  virtual bool restart() = 0;
  /// @param row without the records that a later start has written again
  /// @param number of the row in the log, from 0, those included that do not count
  /// @param offset of its line, in a file
  /// @param counts whether no later start of the run has superseded it
  virtual void take(const ScannedRow& row, std::uint64_t number, std::uint64_t offset, bool counts)
    = 0;
  /// A line of a file between the rows: a start, a status, an end, or a damaged one.
  virtual void take_other(std::string_view line) { static_cast<void>(line); }
};

/// Calls a function with each row, also with those that do not count.
class RowVisitor : public LogTaker {
public:
  using Visit = std::function<void(const ScannedRow& row, std::uint64_t number, bool counts)>;
  explicit RowVisitor(Visit visit) : visit_(std::move(visit)) {}

private:
  bool restart() override { return false; } // a row is visited once
  void take(const ScannedRow& row, std::uint64_t number, std::uint64_t, bool counts) override {
    visit_(row, number, counts);
  }

  Visit visit_;
};

class LogSource {
public:
  virtual ~LogSource() = default;

  /// Hands on what was written since the last call. @throws IoError
  /// @param growing an incomplete last line is left for the next call; else it counts as damaged
  /// @param most_bytes of a file, after which the rest is left for the next call
  virtual void poll(LogTaker& taker, bool growing = true,
                    std::uint64_t most_bytes = GrowingFile::Extent::all)
    = 0;
  /// Grows with what was read: the bytes of a file, or the number of a store's last record.
  virtual std::uint64_t position() const = 0;
  /// The folder of the run; "" for a store.
  virtual std::filesystem::path folder() const { return {}; }
  /// Which line was the first to be skipped, "path:line"; "": none was.
  virtual std::string first_damaged() const { return ""; }

  /// The log without its rows: its starts, and the status of its workers. At the first row that is
  /// handed on, it has all that was written.
  const RunLog& head() const { return head_; }
  std::uint64_t rows() const { return rows_; }       ///< those included that do not count
  std::uint64_t damaged() const { return damaged_; } ///< lines that were skipped
  /// Whether no start of the run has superseded the row of that number.
  bool counts(const RowKey& row, std::uint64_t number) const { return counted_.has(row, number); }

protected:
  /// Hands on the next row.
  void hand_on(ScannedRow& row, std::uint64_t offset, LogTaker& taker) {
    const RowKey key{row.worker, row.batch};
    counted_.take(key);
    counted_.remove_replaced(row, rows_);
    taker.take(row, rows_, offset, counted_.has(key, rows_));
    ++rows_;
  }

  RunLog head_;
  CountedRows counted_;
  std::uint64_t rows_ = 0, damaged_ = 0;
};

} // namespace troupe
