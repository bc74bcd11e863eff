// A run's log as it is read: the rows that count, in the order in which they were written.
#pragma once

#include "messages/log/log_lineage.hpp"

#include <map>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <vector>

namespace troupe {

/// Records that were written to a row at one time.
struct LoggedRow {
  std::string run;  ///< its name
  std::string time; ///< "2026-01-31T12:00:00.000Z": its order is that of time
  RowKey row;
  Epoch epoch = 0;    ///< epochs done at that row
  double seconds = 0; ///< of training at that row
  Records records;
};

struct LoggedStart {
  LogStart start;
  std::string run, time;
};

/// Takes a log in piece by piece, from a file or a store, and keeps of it what counts: where a run
/// goes on from a checkpoint, what was written beyond it does not, and a record that is then
/// written to the checkpoint's row once more takes the place of the former.
class RunLog {
public:
  enum class Taken : std::uint8_t { row, other, damaged };
  /// One line of log.jsonl (actors/log/record_file.hpp). Whatever it holds, nothing is thrown.
  Taken take(std::string_view text);

  void begin(LoggedStart start);
  void add(LoggedRow row);
  void add(const WriteStatus& status);
  void end() { ended_ = true; }
  /// For a reader that is done with all rows so far: what comes later changes none of them.
  void forget_rows();

  /// Each with at least one record, since they were forgotten last.
  const std::vector<LoggedRow>& rows() const { return rows_; }
  /// Of the first start and of each resume.
  const std::vector<LoggedStart>& starts() const { return starts_; }
  /// What holds for a worker at the end of the log, with "log_id" and "resumed_from" where they
  /// are known.
  Records status(WorkerId worker) const;
  std::set<WorkerId> workers() const;
  /// The names of all records, those of rows that no longer count included.
  const std::set<std::string>& names() const { return names_; }
  /// True where its process has ended in good order, and was not started again. Of a log without
  /// lineage: where all its workers have finished training.
  bool ended() const;

private:
  void take_place_of_former(const LoggedRow& row);

  std::vector<LoggedRow> rows_;
  std::vector<LoggedStart> starts_;
  std::map<WorkerId, Records> status_;
  std::set<std::string> names_;
  std::size_t former_ = 0; ///< rows from before the newest start
  bool ended_ = false;
};

/// Whether a line of log.jsonl is one of records, whole or not.
bool is_row(std::string_view line);
/// The row that such a line holds; nothing where it is damaged.
std::optional<LoggedRow> logged_row(std::string_view line);

/// A record as a number: true and false are 1 and 0; NaN for text.
double number_of(const Value& value);

} // namespace troupe
