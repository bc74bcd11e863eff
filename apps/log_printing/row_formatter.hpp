// The rows of a log as lines of text.
#pragma once

#include "apps/folder/log_scanner.hpp"

#include <string>
#include <string_view>
#include <vector>

namespace troupe {

/// What is printed of a row, and how.
struct RowFormat {
  bool csv = false; ///< a line for each record, with fixed columns; else the rows as JSON lines
  std::vector<std::string> records = {}; ///< only these records; {}: all
};

/// Writes the rows of one log as lines, without a tree of JSON for each.
class RowFormatter {
public:
  static constexpr auto csv_header = "time,log,worker,batch,epoch,seconds,record,value\n";

  /// @param log its name, which is in each line
  RowFormatter(const std::string& log, RowFormat format);

  /// Appends the lines of a row, none if it has no wanted record.
  void append(std::string& lines, const ScannedRow& row);

private:
  bool is_wanted(const ScannedRecord& record) const;
  void append_json_line(std::string& lines, const ScannedRow& row) const;
  void append_csv_lines(std::string& lines, const ScannedRow& row);

  RowFormat format_;
  std::string log_;        ///< as the lines have it: {"log":"worker-0", or worker-0,
  std::string row_fields_; ///< the first fields of each of a row's lines
};

} // namespace troupe
