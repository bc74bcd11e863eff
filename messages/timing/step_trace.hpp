// The file of a worker's traced steps: lines of JSON, one for each step, after one that says which
// clock they are on.
#pragma once

#include "messages/loop/step_spans.hpp"
#include "messages/schedule/position.hpp"

#include <cstdint>
#include <filesystem>
#include <limits>
#include <string>
#include <string_view>
#include <vector>

namespace troupe {

/// In the folder of the run, or of the worker.
inline constexpr const char* step_trace_file = "trace.jsonl";

/// Where a process begins to trace steps.
struct TraceStart {
  WorkerId worker = 0;
  double clock = 0;     ///< a moment on the clock of the process, in seconds
  double unix_time = 0; ///< the same on the machine's wall clock, since 1970
};

/// A step and what its time went to.
struct TracedStep {
  Step batch = 0;         ///< that it trained on, from 1
  std::uint64_t lost = 0; ///< steps before it that were not traced, because the file was too slow
  std::vector<Span> spans;
};

/// Steps of one process of a worker.
struct StepTrace {
  TraceStart start;
  std::vector<TracedStep> steps;
};

std::string trace_line(const TraceStart& start); ///< without a line end
std::string trace_line(const TracedStep& step);

/// The traces of a file, one for each process that wrote to it. The last line may be cut off: the
/// process was killed.
/// @throws IoError for what is no trace, with the number of the line
std::vector<StepTrace> read_step_traces(const std::filesystem::path& file);

/// What is to be added to one clock to get another.
struct ClockShift {
  double seconds = 0;
  double within = std::numeric_limits<double>::infinity(); ///< the shift is at most so wrong
};

/// From the worker's clock to the parameter holder's: by the exchange that took least time beside
/// the holder's own, as NTP does. `within` is infinite for a worker without exchanges.
ClockShift shift_to_holder(const StepTrace& trace);

} // namespace troupe
