// Reads a row of log.jsonl in the form in which the program writes it, a hundred times as fast as a
// reader of any JSON.
#pragma once

#include "base/types.hpp"

#include <string_view>
#include <utility>
#include <vector>

namespace troupe {

/// A row as views into its line, which are valid as long as the line is.
struct ScannedRow {
  WorkerId worker = 0;
  Step batch = 0;
  Epoch epoch = 0;
  double seconds = 0;
  std::string_view time;
  std::vector<std::pair<std::string_view, double>> numbers;         ///< also of true and false
  std::vector<std::pair<std::string_view, std::string_view>> texts; ///< without escapes
};

/// Reads a line. @returns false for a line that is no row, or is one in another form, which
/// `logged_row` may still read; the row is then undefined.
bool scan_row(std::string_view line, ScannedRow& row);

} // namespace troupe
