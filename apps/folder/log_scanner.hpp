// Reads a row of log.jsonl in the form in which the program writes it, a hundred times as fast as a
// reader of any JSON.
#pragma once

#include "messages/log/log_line.hpp"

#include <deque>
#include <string_view>
#include <vector>

namespace troupe {

/// A record as views into its row.
struct ScannedRecord {
  std::string_view name;
  std::string_view text; ///< of a number as written, of a text without its quotes
  double number = 0;     ///< of true and false 1 and 0, of a text NaN
  bool is_text = false;
};

/// A row as views into its line, which are valid as long as the line and the row are.
struct ScannedRow {
  ScannedRow() = default;
  ScannedRow(const ScannedRow&) = delete; // the views of a copy would point into this one
  ScannedRow& operator=(const ScannedRow&) = delete;

  WorkerId worker = 0;
  Step batch = 0;
  Epoch epoch = 0;
  double seconds = 0;
  std::string_view run, seconds_text, time;
  std::vector<ScannedRecord> records;
  std::string_view line;         ///< "" if it says other than the row, or in another form
  std::deque<std::string> texts; ///< what the views of a row in another form point to
};

/// Reads a line in that form. @returns false for any other line; the row is then undefined.
bool scan_row(std::string_view line, ScannedRow& row);
/// Reads a row in any form. @returns false for a line that is none; the row is then undefined.
bool read_row(std::string_view line, ScannedRow& row);

void scan(const LoggedRow& from, ScannedRow& row);
/// The row with its values in their types.
LoggedRow logged_row(const ScannedRow& row);

} // namespace troupe
