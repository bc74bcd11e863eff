#include "apps/folder/run_log.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

namespace troupe {

RunLog::Taken RunLog::take(std::string_view text) {
  auto line = read_log_line(text);
  if (std::holds_alternative<DamagedLine>(line))
    return Taken::damaged;
  if (auto* row = std::get_if<LoggedRow>(&line)) {
    add(std::move(*row));
    return Taken::row;
  }
  if (const auto* status = std::get_if<WriteStatus>(&line))
    add(*status);
  else if (auto* start = std::get_if<LoggedStart>(&line))
    begin(std::move(*start));
  else
    end();
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
