// A run as a trace in Chrome's format, which Perfetto and chrome://tracing open.
#pragma once

#include "apps/folder/log_reader.hpp"
#include "apps/run_index/trace_event.hpp"
#include "messages/timing/spent_time.hpp"

#include <filesystem>
#include <map>
#include <string>
#include <utility>
#include <vector>

namespace troupe {

/// Collects the events of one log, on the wall clock of its machine.
class LogEvents : public LogTaker {
public:
  bool restart() override {
    *this = {};
    return true;
  }
  void take(const ScannedRow& row, std::uint64_t number, std::uint64_t offset,
            bool counts) override;
  void take_other(std::string_view line) override;

  std::vector<TraceEvent> take_events() { return std::exchange(events_, {}); }

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
  std::vector<TraceEvent> events_;
};

struct TracedLog {
  std::string name; ///< of the process in the trace
  std::filesystem::path file;
};

/// The trace of the logs of a run and of the steps that its members have traced, which lie beside
/// them. @throws IoError for a file of steps that cannot be read
std::string trace_of(const std::vector<TracedLog>& logs);

} // namespace troupe
