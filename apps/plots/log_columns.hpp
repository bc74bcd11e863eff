// The numbers of a log as columns, from which curves are drawn.
#pragma once

#include "apps/folder/log_source.hpp"
#include "apps/plots/abscissa.hpp"
#include "apps/plots/decimation.hpp"

#include <deque>
#include <functional>
#include <limits>
#include <map>
#include <set>
#include <string>
#include <vector>

namespace troupe {

class LogColumns : public LogTaker {
public:
  using Wanted = std::function<bool(std::string_view record)>;
  LogColumns() = default;
  /// Keeps the values of these records only.
  explicit LogColumns(Wanted wanted) : wanted_(std::move(wanted)) {}

  bool restart() override;
  void take(const ScannedRow& row, std::uint64_t number, std::uint64_t offset,
            bool counts) override;

  /// A record of one worker.
  struct Series {
    std::deque<std::uint32_t> rows; ///< places among the worker's rows
    std::deque<double> values;
    bool wanted = true; ///< else it has no values
  };

  std::set<std::string> records() const; ///< with numbers
  std::set<WorkerId> workers() const;
  /// nullptr if the worker has no such record.
  const Series* find(WorkerId worker, std::string_view record) const;

  /// Of all rows, in seconds since 1970; infinite without rows.
  double first_time() const { return first_time_; }
  const RowPosition& position(WorkerId worker, std::uint32_t row) const {
    return workers_.at(worker).rows[row];
  }

  using Axis = std::function<double(const RowPosition& row)>;
  /// The curve of a series between two places on the axis.
  CurveData curve(WorkerId worker, const Series& series, const Axis& axis,
                  double from = -std::numeric_limits<double>::infinity(),
                  double to = std::numeric_limits<double>::infinity()) const;

  std::size_t bytes() const; ///< of memory

private:
  using AllSeries = std::map<std::string, Series, std::less<>>;

  /// In deques, which grow without a copy: a log of a million rows is most of the memory here.
  struct WorkerColumns {
    WorkerColumns() = default;
    WorkerColumns(const WorkerColumns&) = delete; // `in_last_row` points into `series`
    WorkerColumns& operator=(const WorkerColumns&) = delete;

    std::deque<RowPosition> rows;
    AllSeries series;
    std::vector<AllSeries::iterator> in_last_row; ///< by place in the row; most rows are alike

    Series& series_of(std::string_view name, std::size_t place, const Wanted& wanted);
  };

  std::map<WorkerId, WorkerColumns> workers_;
  double time_of(std::string_view time);

  Wanted wanted_ = [](std::string_view) { return true; };
  std::string minute_; ///< of the last row: "2026-01-31T12:00:", and the same in seconds
  double minute_seconds_ = 0;
  double first_time_ = std::numeric_limits<double>::infinity();
};

} // namespace troupe
