// The numbers of a log as columns, from which curves are drawn.
#pragma once

#include "apps/plots/decimation.hpp"
#include "apps/run_index/log_reader.hpp"

#include <deque>
#include <functional>
#include <limits>
#include <map>
#include <set>
#include <string>
#include <vector>

namespace troupe {

/// The position of a row, for an x axis.
struct RowPosition {
  double seconds = 0; ///< of training
  double time = 0;    ///< since 1970
  Step batch = 0;
  std::uint32_t epoch = 0;
};

class LogColumns : public LogTaker {
public:
  void restart() override;
  void take(const ScannedRow& row, std::uint64_t number, std::uint64_t offset,
            bool counts) override;

  /// A record of one worker.
  struct Series {
    std::deque<std::uint32_t> rows; ///< places among the worker's rows
    std::deque<double> values;
  };

  std::set<std::string> records() const;
  std::set<WorkerId> workers() const;
  /// nullptr if the worker has no such record.
  const Series* find(WorkerId worker, std::string_view record) const;

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

    Series& series_of(std::string_view name, std::size_t place);
  };

  std::map<WorkerId, WorkerColumns> workers_;
  double time_of(std::string_view time);

  std::string minute_; ///< of the last row: "2026-01-31T12:00:", and the same in seconds
  double minute_seconds_ = 0;
};

} // namespace troupe
