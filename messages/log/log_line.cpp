#include "messages/log/log_line.hpp"

#include "base/text/number_in.hpp"

#include <nlohmann/json.hpp>

#include <limits>

namespace troupe {

namespace {

using LineJson = nlohmann::json;

// Each reads a member; false or nothing means that it is missing or of a wrong type.

bool read_text_of(const LineJson& line, const char* name, std::string& text) {
  const auto found = line.find(name);
  if (found == line.end() || !found->is_string())
    return false;
  text = found->get<std::string>();
  return true;
}

template <class Count>
bool read_count(const LineJson& line, const char* name, Count& count) {
  const auto found = line.find(name);
  if (found == line.end() || !found->is_number_unsigned()
      || found->get<std::uint64_t>() > std::numeric_limits<Count>::max())
    return false;
  count = found->get<Count>();
  return true;
}

/// Text, or one of the names that the file has for numbers that JSON lacks.
Value text_value(const std::string& text) {
  constexpr auto infinity = std::numeric_limits<double>::infinity();
  if (text == "NaN")
    return Value{std::numeric_limits<double>::quiet_NaN()};
  if (text == "Infinity" || text == "-Infinity")
    return Value{text[0] == '-' ? -infinity : infinity};
  return Value{text};
}

std::optional<Value> logged_value(const LineJson& value) {
  if (value.is_string())
    return text_value(value.get<std::string>());
  if (value.is_boolean())
    return Value{value.get<bool>()};
  if (value.is_number_unsigned()
      && value.get<std::uint64_t>()
           > static_cast<std::uint64_t>(std::numeric_limits<std::int64_t>::max()))
    return Value{value.get<double>()};
  if (value.is_number_integer())
    return Value{value.get<std::int64_t>()};
  if (value.is_number())
    return Value{value.get<double>()};
  return std::nullopt;
}

bool read_records(const LineJson& line, const char* name, Records& records) {
  const auto found = line.find(name);
  if (found == line.end() || !found->is_object())
    return false;
  for (const auto& [key, value] : found->items()) {
    auto read = logged_value(value);
    if (!read)
      return false;
    records[key] = std::move(*read);
  }
  return true;
}

bool read_seconds(const LineJson& line, double& seconds) {
  const auto found = line.find("seconds");
  if (found == line.end() || !(found->is_number() || found->is_null()))
    return false;
  seconds = found->is_null() ? std::numeric_limits<double>::quiet_NaN() : found->get<double>();
  return true;
}

bool read_row_of(const LineJson& line, LoggedRow& row) {
  read_text_of(line, "run", row.run); // optional
  return read_text_of(line, "time", row.time) && read_count(line, "worker", row.row.worker)
         && read_count(line, "batch", row.row.batch) && read_count(line, "epoch", row.epoch)
         && read_seconds(line, row.seconds) && read_records(line, "records", row.records);
}

bool read_resumed_at(const LineJson& line, std::map<WorkerId, Step>& resumed_at) {
  const auto found = line.find("resumed_at");
  if (found == line.end())
    return true;
  if (!found->is_object())
    return false;
  for (const auto& [key, value] : found->items()) {
    const auto worker = number_in<WorkerId>(key);
    if (!worker || !read_count(*found, key.c_str(), resumed_at[*worker]))
      return false;
  }
  return true;
}

bool read_status(const LineJson& line, WriteStatus& status) {
  return read_count(line, "worker", status.worker) && read_records(line, "status", status.records);
}

bool read_start(const LineJson& line, LoggedStart& start) {
  read_text_of(line, "run", start.run);
  read_text_of(line, "resumed_from", start.start.resumed_from);
  return read_text_of(line, "id", start.start.id) && read_text_of(line, "time", start.time)
         && read_resumed_at(line, start.start.resumed_at);
}

} // namespace

bool is_row(std::string_view line) { return line.find("\"records\":") != std::string_view::npos; }

std::optional<LoggedRow> logged_row(std::string_view line) {
  LoggedRow row;
  if (const auto json = LineJson::parse(line, nullptr, false);
      !json.is_object() || !read_row_of(json, row))
    return {};
  return row;
}

LogLine read_log_line(std::string_view text) {
  const auto line = LineJson::parse(text, nullptr, false);
  if (!line.is_object())
    return DamagedLine{};
  LoggedRow row;
  WriteStatus status;
  LoggedStart start;
  if (line.contains("records"))
    return read_row_of(line, row) ? LogLine{std::move(row)} : DamagedLine{};
  if (line.contains("status"))
    return read_status(line, status) ? LogLine{std::move(status)} : DamagedLine{};
  if (!read_start(line, start))
    return DamagedLine{};
  if (line.contains("ended"))
    return LoggedEnd{std::move(start.start.id), std::move(start.time)};
  return start;
}

} // namespace troupe
