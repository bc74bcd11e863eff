// A run's log as read: the rows that count, in the order of writing.
#pragma once

#include "messages/log/log_line.hpp"

#include <map>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <vector>

namespace troupe {

/// Takes a log piece by piece, from a file or a store, and keeps the rows that count: if a run
/// resumes from a checkpoint, rows beyond it are dropped, and a record that is written to the
/// checkpoint's row again replaces the former one.
class RunLog {
public:
  enum class Taken : std::uint8_t { row, other, damaged };
  /// Takes one line of log.jsonl (actors/log/record_file.hpp). It never throws, whatever the line
  /// holds.
  Taken take(std::string_view text);

  void begin(LoggedStart start);
  void add(LoggedRow row);
  void add(const WriteStatus& status);
  void end() { ended_ = true; }
  /// For a reader that is done with all rows so far; later lines no longer change them.
  void forget_rows();

  /// Rows since the last forget_rows(), each with at least one record.
  const std::vector<LoggedRow>& rows() const { return rows_; }
  /// The first start and each resume.
  const std::vector<LoggedStart>& starts() const { return starts_; }
  /// The final status of a worker, with "log_id" and "resumed_from" if they are known.
  Records status(WorkerId worker) const;
  std::set<WorkerId> workers() const;
  /// The names of all records, including those of rows that no longer count.
  const std::set<std::string>& names() const { return names_; }
  /// True if its process ended in good order and was not started again. For a log without lineage:
  /// if all its workers have finished training.
  bool ended() const;

private:
  void replace_former(const LoggedRow& row);

  std::vector<LoggedRow> rows_;
  std::vector<LoggedStart> starts_;
  std::map<WorkerId, Records> status_;
  std::set<std::string> names_;
  std::size_t former_ = 0; ///< rows from before the newest start
  bool ended_ = false;
};

/// A record as a number: true and false are 1 and 0; text is NaN.
double number_of(const Value& value);

} // namespace troupe
