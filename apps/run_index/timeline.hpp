// A run's log as a trace in Chrome's format, which Perfetto and chrome://tracing open.
#pragma once

#include "apps/folder/log_reader.hpp"
#include "messages/timing/spent_time.hpp"

#include <filesystem>
#include <map>
#include <string>
#include <vector>

namespace troupe {

/// A span, a point or a value of a trace, in microseconds since 1970.
struct TraceEvent {
  char phase = 'i'; ///< X: a span, i: a point, C: values
  std::string name;
  double begin = 0, length = 0;
  std::uint32_t thread = 0;
  std::map<std::string, double> values; ///< of C
  std::string text;                     ///< of i
};

/// Collects the events of one log.
class TimelineTaker : public LogTaker {
public:
  bool restart() override {
    *this = {};
    return true;
  }
  void take(const ScannedRow& row, std::uint64_t number, std::uint64_t offset,
            bool counts) override;
  void take_other(std::string_view line) override;

  const std::vector<TraceEvent>& events() const { return events_; }
  const std::map<std::uint32_t, std::string>& threads() const { return threads_; }

private:
  struct Worker {
    bool begun = false;
    double epoch_began = 0;
    Epoch epochs = 0;
    std::map<std::string, double, std::less<>> totals; ///< seconds so far, by part
    std::map<std::string, double> spent;               ///< of the last status, by part and gate
  };

  void take_epoch(const ScannedRow& row, double time);
  void take_times(const ScannedRow& row, double time);
  void take_records(const ScannedRow& row, double time);
  void take_spent(WorkerId number, const SpentTime& spent, double time);

  std::map<WorkerId, Worker> workers_;
  std::map<std::uint32_t, std::string> threads_;
  std::vector<TraceEvent> events_;
};

struct TracedLog {
  std::string name; ///< of the process in the trace
  std::filesystem::path file;
};

/// The trace of the logs of a run, on the clock of the machines' walls.
std::string trace_of(const std::vector<TracedLog>& logs);

} // namespace troupe
