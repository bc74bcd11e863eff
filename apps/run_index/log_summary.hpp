// What the table of runs shows of a log, in little memory however long the log is.
#pragma once

#include "apps/folder/log_source.hpp"
#include "messages/schedule/choose.hpp"

#include <deque>
#include <map>
#include <optional>
#include <string>
#include <vector>

namespace troupe {

/// An order that a run has carried out, as its log says.
struct LoggedAct {
  WorkerId worker = 0;
  Step batch = 0;
  std::string time, act, by;
};

struct WorkerProgress {
  Step batches = 0;
  Epoch epochs = 0;
  double seconds = 0;
  std::string time; ///< of its last row
};

struct BestValue {
  double value = 0;
  Step batch = 0;
  WorkerId worker = 0;
};

/// A numeric record of a log.
struct RecordSummary {
  double last = 0;
  std::optional<Choose> choose; ///< nothing: its name does not say which values are better
  std::optional<BestValue> best;
};

class LogSummary : public LogTaker {
public:
  bool restart() override;
  void take(const ScannedRow& row, std::uint64_t number, std::uint64_t offset,
            bool counts) override;

  const std::map<WorkerId, WorkerProgress>& workers() const { return workers_; }
  const std::map<std::string, RecordSummary, std::less<>>& records() const { return records_; }
  const std::deque<LoggedAct>& acts() const { return acts_; } ///< the last thousand
  /// Whether the last orders have paused the run.
  bool paused() const { return paused_; }

  /// The offset of a row from which its line is found by reading on, and that row's number.
  std::pair<std::uint64_t, std::uint64_t> before_row(std::uint64_t number) const;

private:
  void take_record(std::string_view name, double value, const ScannedRow& row);
  void take_act(const ScannedRow& row, std::string_view act);

  static constexpr std::uint64_t rows_apart = 64;

  std::map<WorkerId, WorkerProgress> workers_;
  std::map<std::string, RecordSummary, std::less<>> records_;
  std::deque<LoggedAct> acts_;
  std::vector<std::uint64_t> offsets_; ///< of each 64th row
  bool paused_ = false;
};

} // namespace troupe
