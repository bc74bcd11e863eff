// Writes what the time of single steps went to.
#pragma once

#include "base/fields.hpp"
#include "messages/log/log.hpp"
#include "messages/loop/extension.hpp"

#include <cstdint>
#include <string>

namespace troupe {

/// Options of `trace`.
struct TraceOptions {
  std::uint64_t steps = 200; ///< after so many it ends; 0: never
  TROUPE_FIELDS(steps);
};

/// after_batch.
Conditions trace_conditions();

/// An observer, subscribed with Shows::spans: appends the spans of each step to
/// `folder`/trace.jsonl (messages/timing/step_trace.hpp). After the last one it unsubscribes. A
/// file that cannot be written ends it with a warning; training continues.
/// @param folder of the worker
Extension spawn_trace(caf::actor_system& system, const TraceOptions& options, Trainer trainer,
                      const std::string& folder, Logger logger);

} // namespace troupe
