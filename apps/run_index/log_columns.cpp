#include "apps/run_index/log_columns.hpp"

#include "apps/plots/abscissa.hpp"
#include "base/text/number_in.hpp"

namespace troupe {

namespace {

/// Grows by an eighth instead of by half: a log of a million rows is most of the memory here.
template <class T>
void append_tightly(std::vector<T>& column, T value) {
  if (column.size() == column.capacity())
    column.reserve(column.size() + std::max<std::size_t>(column.size() / 8, 64));
  column.push_back(value);
}

} // namespace

void LogColumns::restart() { *this = {}; }

void LogColumns::take(const ScannedRow& row, std::uint64_t, std::uint64_t, bool counts) {
  if (!counts || row.numbers.empty())
    return;
  auto& worker = workers_[row.worker];
  const auto time = time_of(row.time);
  if (worker.rows.empty() || worker.rows.back().batch != row.batch
      || worker.rows.back().time != time)
    append_tightly(worker.rows, RowPosition{row.seconds, time, row.batch,
                                            static_cast<std::uint32_t>(row.epoch)});
  for (const auto& [name, value] : row.numbers) {
    auto found = worker.series.find(name);
    if (found == worker.series.end())
      found = worker.series.emplace(name, Series{}).first;
    auto& series = found->second;
    if (!series.rows.empty() && worker.rows[series.rows.back()].batch == row.batch) {
      series.values.back() = value; // a later value of the same row holds
      continue;
    }
    append_tightly(series.rows, static_cast<std::uint32_t>(worker.rows.size() - 1));
    append_tightly(series.values, value);
  }
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
    bytes += worker.rows.capacity() * sizeof(RowPosition);
    for (const auto& [name, series] : worker.series)
      bytes += series.rows.capacity() * sizeof(std::uint32_t)
               + series.values.capacity() * sizeof(double);
  }
  return bytes;
}

} // namespace troupe
