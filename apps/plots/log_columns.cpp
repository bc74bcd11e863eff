#include "apps/plots/log_columns.hpp"

#include "base/text/number_in.hpp"

#include <algorithm>
#include <cmath>

namespace troupe {

bool LogColumns::restart() {
  *this = LogColumns{std::move(wanted_)};
  return true;
}

void LogColumns::take(const ScannedRow& row, std::uint64_t, std::uint64_t, bool counts) {
  if (!counts || row.records.empty())
    return;
  auto& worker = workers_[row.worker];
  const auto time = time_of(row.time);
  first_time_ = std::fmin(first_time_, time);
  std::size_t place = 0;
  for (const auto& record : row.records) {
    if (record.is_text)
      continue;
    if (place == 0
        && (worker.rows.empty() || worker.rows.back().batch != row.batch
            || worker.rows.back().time != time || worker.rows.back().seconds != row.seconds))
      worker.rows.push_back({row.seconds, time, row.batch, row.epoch});
    auto& series = worker.series_of(record.name, place++, wanted_);
    if (!series.wanted)
      continue;
    if (!series.rows.empty() && worker.rows[series.rows.back()].batch == row.batch) {
      series.rows.back() = static_cast<std::uint32_t>(worker.rows.size() - 1);
      series.values.back() = record.number; // a later value of the same row holds
      continue;
    }
    series.rows.push_back(static_cast<std::uint32_t>(worker.rows.size() - 1));
    series.values.push_back(record.number);
  }
}

LogColumns::Series& LogColumns::WorkerColumns::series_of(std::string_view name, std::size_t place,
                                                         const Wanted& wanted) {
  if (place >= in_last_row.size())
    in_last_row.resize(place + 1, series.end());
  auto& found = in_last_row[place];
  if (found == series.end() || found->first != name) {
    found = series.find(name);
    if (found == series.end())
      found = series.emplace(name, Series{{}, {}, wanted(name)}).first;
  }
  return found->second;
}

double LogColumns::time_of(std::string_view time) {
  constexpr std::size_t to_minute = 17; // "2026-01-31T12:00:"
  if (time.size() <= to_minute || time.back() != 'Z')
    return std::numeric_limits<double>::quiet_NaN();
  if (time.substr(0, to_minute) != minute_) {
    minute_ = time.substr(0, to_minute);
    minute_seconds_ = unix_time_of(minute_ + "00Z");
  }
  const auto seconds = number_in<double>(time.substr(to_minute, time.size() - to_minute - 1));
  return minute_seconds_ + seconds.value_or(std::numeric_limits<double>::quiet_NaN());
}

std::set<std::string> LogColumns::records() const {
  std::set<std::string> records;
  for (const auto& [number, worker] : workers_)
    for (const auto& [name, series] : worker.series)
      records.insert(name);
  return records;
}

std::set<WorkerId> LogColumns::workers() const {
  std::set<WorkerId> workers;
  for (const auto& [number, worker] : workers_)
    workers.insert(number);
  return workers;
}

const LogColumns::Series* LogColumns::find(WorkerId worker, std::string_view record) const {
  const auto columns = workers_.find(worker);
  if (columns == workers_.end())
    return nullptr;
  const auto series = columns->second.series.find(record);
  return series == columns->second.series.end() ? nullptr : &series->second;
}

CurveData LogColumns::curve(WorkerId worker, const Series& series, const Axis& axis, double from,
                            double to) const {
  const auto& rows = workers_.at(worker).rows;
  CurveData curve;
  for (std::size_t i = 0; i < series.rows.size(); ++i) {
    const auto x = axis(rows[series.rows[i]]);
    if (!(x >= from && x <= to))
      continue;
    curve.x.push_back(x);
    curve.y.push_back(series.values[i]);
  }
  return curve;
}

std::size_t LogColumns::bytes() const {
  std::size_t bytes = 0;
  for (const auto& [number, worker] : workers_) {
    bytes += worker.rows.size() * sizeof(RowPosition);
    for (const auto& [name, series] : worker.series)
      bytes += series.rows.size() * sizeof(std::uint32_t) + series.values.size() * sizeof(double);
  }
  return bytes;
}

} // namespace troupe
