#include "apps/run_index/log_summary.hpp"

#include <cmath>

namespace troupe {

namespace {

constexpr std::size_t most_acts = 1000;

/// The verb of an act that was carried out; "" for one that failed.
std::string_view verb_in(std::string_view act) {
  return act.find(':') == std::string_view::npos ? act.substr(0, act.find(' ')) : "";
}

} // namespace

bool LogSummary::restart() {
  *this = {};
  return true;
}

void LogSummary::take(const ScannedRow& row, std::uint64_t number, std::uint64_t offset,
                      bool counts) {
  if (number % rows_apart == 0)
    offsets_.push_back(offset);
  if (!counts)
    return;
  auto& worker = workers_[row.worker];
  if (row.batch >= worker.batches) {
    worker.batches = row.batch;
    worker.epochs = row.epoch;
    worker.seconds = row.seconds;
  }
  worker.time = row.time;
  for (const auto& record : row.records)
    if (!record.is_text)
      take_record(record.name, record.number, row);
    else if (record.name == "control")
      take_act(row, record.text);
}

void LogSummary::take_record(std::string_view name, double value, const ScannedRow& row) {
  if (name.starts_with('_'))
    return;
  auto found = records_.find(name);
  if (found == records_.end())
    found = records_.emplace(name, RecordSummary{value, choice_by_name(name), {}}).first;
  auto& record = found->second;
  record.last = value;
  if (record.choose && std::isfinite(value)
      && (!record.best || is_better(value, record.best->value, *record.choose)))
    record.best = {value, row.batch, row.worker};
}

void LogSummary::take_act(const ScannedRow& row, std::string_view act) {
  LoggedAct logged{row.worker, row.batch, std::string{row.time}, std::string{act}, ""};
  for (const auto& record : row.records)
    if (record.is_text && record.name == "control_by")
      logged.by = record.text;
  acts_.push_back(std::move(logged));
  if (acts_.size() > most_acts)
    acts_.pop_front();
  const auto verb = verb_in(act);
  if (verb == "pause" || verb == "step")
    paused_ = true;
  else if (verb == "resume" || verb == "stop")
    paused_ = false;
}

std::pair<std::uint64_t, std::uint64_t> LogSummary::before_row(std::uint64_t number) const {
  const auto place
    = std::min<std::uint64_t>(number / rows_apart, offsets_.empty() ? 0 : offsets_.size() - 1);
  return offsets_.empty() ? std::pair<std::uint64_t, std::uint64_t>{0, 0}
                          : std::pair{offsets_[place], place * rows_apart};
}

} // namespace troupe
