#pragma once

#include "troupe/messages/log.hpp"
#include "troupe/messages/loop_event.hpp"

#include <utility>

namespace troupe {

/// The row of the log that an event belongs to.
inline RowKey row_of(const LoopEvent& event) { return {event.worker, event.position.batches}; }

/// Records for the row of an event.
inline Write write_row(const LoopEvent& event, Records records, std::string settles = "") {
  return {row_of(event), event.position.epochs, event.position.seconds, std::move(records),
          std::move(settles)};
}

/// Handlers for an extension that does nothing but make records of an event: as an observer it
/// writes them, as a gate it answers with them. No records: nothing is written.
template <class Self, class Make>
auto writes_records(Self self, Logger logger, Make make) {
  return [=](const LoopEvent& event) {
    if (Records records = make(event); !records.empty())
      self->send(logger, write_row(event, std::move(records)));
  };
}
template <class Make>
auto answers_records(Make make) {
  return [=](const AskGate& ask) {
    GateAnswer answer;
    answer.records = make(ask.event);
    return answer;
  };
}

} // namespace troupe
