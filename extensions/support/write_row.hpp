#pragma once

#include "messages/log/log.hpp"
#include "messages/loop/loop_event.hpp"

#include <utility>

namespace troupe {

/// The row of the log that an event belongs to.
inline RowKey row_of(const LoopEvent& event) { return {event.worker, event.position.batches}; }

/// Records for the row of an event.
inline Write write_row(const LoopEvent& event, Records records, std::string settles = "") {
  return {row_of(event), event.position.epochs, event.position.seconds, std::move(records),
          std::move(settles)};
}

} // namespace troupe
