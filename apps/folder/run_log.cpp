#include "apps/folder/run_log.hpp"

#include "base/text/number_in.hpp"

#include <nlohmann/json.hpp>

#include <algorithm>
#include <cmath>
#include <limits>

namespace troupe {

namespace {

using LogLine = nlohmann::json;

// Each reads a member; false or nothing means that it is missing or of a wrong type.

bool read_text_of(const LogLine& line, const char* name, std::string& text) {
  const auto found = line.find(name);
  if (found == line.end() || !found->is_string())
    return false;
  text = found->get<std::string>();
  return true;
}

template <class Count>
bool read_count(const LogLine& line, const char* name, Count& count) {
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

std::optional<Value> value_of(const LogLine& value) {
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

bool read_records(const LogLine& line, const char* name, Records& records) {
  const auto found = line.find(name);
  if (found == line.end() || !found->is_object())
    return false;
  for (const auto& [key, value] : found->items()) {
    auto read = value_of(value);
    if (!read)
      return false;
    records[key] = std::move(*read);
  }
  return true;
}

bool read_seconds(const LogLine& line, double& seconds) {
  const auto found = line.find("seconds");
  if (found == line.end() || !(found->is_number() || found->is_null()))
    return false;
  seconds = found->is_null() ? std::numeric_limits<double>::quiet_NaN() : found->get<double>();
  return true;
}

bool read_row(const LogLine& line, LoggedRow& row) {
  read_text_of(line, "run", row.run); // optional
  return read_text_of(line, "time", row.time) && read_count(line, "worker", row.row.worker)
         && read_count(line, "batch", row.row.batch) && read_count(line, "epoch", row.epoch)
         && read_seconds(line, row.seconds) && read_records(line, "records", row.records);
}

bool read_resumed_at(const LogLine& line, std::map<WorkerId, Step>& resumed_at) {
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

bool read_start(const LogLine& line, LoggedStart& start) {
  read_text_of(line, "run", start.run);
  read_text_of(line, "resumed_from", start.start.resumed_from);
  return read_text_of(line, "id", start.start.id) && read_text_of(line, "time", start.time)
         && read_resumed_at(line, start.start.resumed_at);
}

} // namespace

bool is_row(std::string_view line) { return line.find("\"records\"") != std::string_view::npos; }

std::optional<LoggedRow> logged_row(std::string_view line) {
  LoggedRow row;
  if (const auto json = LogLine::parse(line, nullptr, false);
      !json.is_object() || !read_row(json, row))
    return {};
  return row;
}

RunLog::Taken RunLog::take(std::string_view text) {
  const auto line = LogLine::parse(text, nullptr, false);
  if (!line.is_object())
    return Taken::damaged;
  if (line.contains("records")) {
    LoggedRow row;
    if (!read_row(line, row))
      return Taken::damaged;
    add(std::move(row));
    return Taken::row;
  }
  if (line.contains("status")) {
    WriteStatus status;
    if (!read_count(line, "worker", status.worker) || !read_records(line, "status", status.records))
      return Taken::damaged;
    add(status);
    return Taken::other;
  }
  LoggedStart start;
  if (!read_start(line, start))
    return Taken::damaged;
  if (const auto ended = line.find("ended"); ended != line.end())
    end();
  else
    begin(std::move(start));
  return Taken::other;
}

void RunLog::begin(LoggedStart start) {
  ended_ = false;
  std::erase_if(rows_, [&](const LoggedRow& row) { return superseded(start.start, row.row); });
  former_ = rows_.size();
  for (auto& [worker, status] : status_)
    reopen(status);
  starts_.push_back(std::move(start));
}

void RunLog::forget_rows() {
  rows_.clear();
  former_ = 0;
}

void RunLog::add(LoggedRow row) {
  for (const auto& [name, value] : row.records)
    names_.insert(name);
  replace_former(row);
  if (!row.records.empty())
    rows_.push_back(std::move(row));
}

void RunLog::replace_former(const LoggedRow& row) {
  if (starts_.empty())
    return;
  const auto& resumed_at = starts_.back().start.resumed_at;
  const auto found = resumed_at.find(row.row.worker);
  if (found == resumed_at.end() || found->second != row.row.batch)
    return;
  for (std::size_t i = 0; i < former_; ++i)
    if (rows_[i].row == row.row)
      for (const auto& [name, value] : row.records)
        rows_[i].records.erase(name);
  const auto end = rows_.begin() + static_cast<std::ptrdiff_t>(former_);
  const auto empty = [](const LoggedRow& one) { return one.records.empty(); };
  const auto kept = std::remove_if(rows_.begin(), end, empty);
  former_ = static_cast<std::size_t>(kept - rows_.begin());
  rows_.erase(kept, end);
}

void RunLog::add(const WriteStatus& status) {
  for (const auto& [name, value] : status.records)
    status_[status.worker][name] = value;
}

Records RunLog::status(WorkerId worker) const {
  const auto found = status_.find(worker);
  auto status = found == status_.end() ? Records{} : found->second;
  if (!starts_.empty())
    status["log_id"] = Value{starts_.back().start.id};
  if (!starts_.empty() && !starts_.back().start.resumed_from.empty())
    status["resumed_from"] = Value{starts_.back().start.resumed_from};
  return status;
}

std::set<WorkerId> RunLog::workers() const {
  std::set<WorkerId> workers;
  for (const auto& row : rows_)
    workers.insert(row.row.worker);
  return workers;
}

bool RunLog::ended() const {
  if (!starts_.empty())
    return ended_;
  return !status_.empty() && std::all_of(status_.begin(), status_.end(), [](const auto& status) {
    const auto finished = status.second.find("training_finished");
    return finished != status.second.end() && truthy(finished->second);
  });
}

double number_of(const Value& value) {
  if (const auto* flag = std::get_if<bool>(&value))
    return *flag ? 1 : 0;
  return as_number(value).value_or(std::numeric_limits<double>::quiet_NaN());
}

} // namespace troupe
