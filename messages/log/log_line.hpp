// The lines of a run's log.jsonl (actors/log/record_file.hpp), as read.
#pragma once

#include "messages/log/log_lineage.hpp"

#include <optional>
#include <string>
#include <string_view>
#include <variant>

namespace troupe {

/// Records that were written to a row at once.
struct LoggedRow {
  std::string run;  ///< its name
  std::string time; ///< "2026-01-31T12:00:00.000Z": sorts by time
  RowKey row;
  Epoch epoch = 0;    ///< epochs done at that row
  double seconds = 0; ///< of training at that row
  Records records;
};

struct LoggedStart {
  LogStart start;
  std::string run, time;
};

/// The process that wrote this log ended in good order.
struct LoggedEnd {
  std::string id, time;
};

struct DamagedLine {};

using LogLine = std::variant<DamagedLine, LoggedRow, WriteStatus, LoggedStart, LoggedEnd>;

/// Reads one line. It never throws, whatever the line holds.
LogLine read_log_line(std::string_view text);

/// Whether a line is a row, complete or not.
bool is_row(std::string_view line);
/// The row in such a line; nothing if it is damaged.
std::optional<LoggedRow> logged_row(std::string_view line);

} // namespace troupe
