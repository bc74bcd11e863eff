// The steps that the members of a run have traced, as events on one clock.
#pragma once

#include "apps/run_index/trace_event.hpp"
#include "messages/timing/step_trace.hpp"

#include <filesystem>
#include <limits>
#include <vector>

namespace troupe {

/// What is added to a member's wall clock to get the common one.
struct MemberClock {
  double shift = 0;                                        ///< seconds
  double within = std::numeric_limits<double>::infinity(); ///< the shift is at most so wrong

  bool is_measured() const { return within < std::numeric_limits<double>::infinity(); }
};

struct StepEvents {
  std::vector<std::vector<TraceEvent>> of_members;
  std::vector<TraceEvent> of_holder; ///< each worker's pushes are a thread
  std::vector<MemberClock> clocks;   ///< by member
};

/// The common clock is the parameter holder's, which each worker's exchanges are compared with. It
/// shows the wall clock of the first member that has traced an exchange.
/// @param members the traces of each one
StepEvents step_events(const std::vector<std::vector<StepTrace>>& members);

/// The traces in the folder of a run, of all workers in its process. @throws IoError
std::vector<StepTrace> step_traces_in(const std::filesystem::path& run);

} // namespace troupe
