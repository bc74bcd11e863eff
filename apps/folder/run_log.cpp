#include "apps/folder/run_log.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

namespace troupe {

RunLog::Taken RunLog::take(std::string_view text) {
  auto line = read_log_line(text);
  if (std::holds_alternative<DamagedLine>(line))
    return Taken::damaged;
  if (std::holds_alternative<LoggedRow>(line))
    return Taken::row;
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
  for (auto& [worker, status] : status_)
    reopen(status);
  starts_.push_back(std::move(start));
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
