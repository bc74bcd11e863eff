// Where the rows of a log go: a file, a database, another program.
#pragma once

#include "messages/log/log.hpp"
#include "messages/log/log_lineage.hpp"

#include <chrono>
#include <filesystem>
#include <string>

namespace troupe {

/// Takes all that a log gets, in the order of writing. One thread at a time calls it, and waits for
/// it: what may take long is kept for `flush`. Times are seconds since 1970. One that throws is
/// reported and gets no more calls; training continues.
class LogSink {
public:
  LogSink() = default;
  LogSink(const LogSink&) = delete;
  LogSink& operator=(const LogSink&) = delete;
  virtual ~LogSink() = default;

  /// Adds records to a row, which may have some already.
  virtual void write(const Write& write, double time);
  /// Adds to the status of a run.
  virtual void write(const WriteStatus& status, double time);
  /// A line that is said, also on the console if there is one.
  virtual void write_line(const Say& line, double time);
  /// The log is complete; only flushes follow. A process that is killed does not come to it.
  virtual void write_end(double time);

  /// Passes on what was written, soon after it came.
  /// @param patience how long it may wait for another program
  /// @returns what people should know, which is said once; an empty text: nothing
  virtual Say flush(std::chrono::milliseconds patience);
  /// Whether another flush may pass on more at once, as after an outage.
  virtual bool behind() const { return false; }
  /// What it lacks after the last flush, as a warning; "": nothing.
  virtual std::string shortfall() { return ""; }
};

/// The log that a sink is for.
struct OpenedLog {
  std::string run;                   ///< its name
  std::filesystem::path folder = {}; ///< of the run, from which paths of files count
  std::filesystem::path file = {};   ///< its log.jsonl; "": none
  LogStart start = {};               ///< the log's id, and which log it continues
  double started = 0;                ///< seconds since 1970
};

} // namespace troupe
