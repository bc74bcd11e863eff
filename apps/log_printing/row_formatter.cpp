#include "apps/log_printing/row_formatter.hpp"

#include "base/text/csv_field.hpp"

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include <algorithm>
#include <cmath>
#include <iterator>
#include <utility>

namespace troupe {

namespace {

/// A text as JSON, in quotes.
std::string json_text(std::string_view text) {
  using Json = nlohmann::ordered_json;
  return Json(text).dump(-1, ' ', false, Json::error_handler_t::replace);
}

void append_csv(std::string& line, std::string_view field) {
  if (field.find_first_of(",\"\r\n") == std::string_view::npos)
    line += field;
  else
    line += csv_field(std::string{field});
}

} // namespace

RowFormatter::RowFormatter(const std::string& log, RowFormat format)
  : format_(std::move(format)),
    log_(format_.csv ? csv_field(log) + ',' : "{\"log\":" + json_text(log) + ',') {}

void RowFormatter::append(std::string& lines, const ScannedRow& row) {
  if (row.records.empty())
    return;
  if (format_.csv)
    append_csv_lines(lines, row);
  else if (format_.records.empty() && !row.line.empty()) // it is written as it is printed
    ((lines += log_) += row.line.substr(1)) += '\n';
  else
    append_json_line(lines, row);
}

bool RowFormatter::is_wanted(const ScannedRecord& record) const {
  const auto& wanted = format_.records;
  return wanted.empty() || std::find(wanted.begin(), wanted.end(), record.name) != wanted.end();
}

void RowFormatter::append_json_line(std::string& lines, const ScannedRow& row) const {
  std::string records;
  for (const auto& record : row.records)
    if (is_wanted(record)) {
      const auto is_json = !record.is_text && std::isfinite(record.number);
      ((records += records.empty() ? "" : ",") += json_text(record.name)) += ':';
      records += is_json ? std::string{record.text} : json_text(record.text);
    }
  if (!records.empty())
    fmt::format_to(std::back_inserter(lines),
                   R"({}"run":{},"worker":{},"batch":{},"epoch":{},"seconds":{},"time":{},)"
                   R"("records":{{{}}}}})"
                   "\n",
                   log_, json_text(row.run), row.worker, row.batch, row.epoch, row.seconds_text,
                   json_text(row.time), records);
}

void RowFormatter::append_csv_lines(std::string& lines, const ScannedRow& row) {
  row_fields_.clear();
  append_csv(row_fields_, row.time);
  (row_fields_ += ',') += log_;
  for (const std::uint64_t count : {std::uint64_t{row.worker}, row.batch, row.epoch}) {
    const fmt::format_int digits{count};
    row_fields_.append(digits.data(), digits.size()) += ',';
  }
  (row_fields_ += row.seconds_text) += ',';
  for (const auto& record : row.records)
    if (is_wanted(record)) {
      append_csv(lines += row_fields_, record.name);
      append_csv(lines += ',', record.text);
      lines += '\n';
    }
}

} // namespace troupe
