#pragma once

#include "troupe/messages/log.hpp"
#include "troupe/messages/loop_event.hpp"

#include <caf/result.hpp>
#include <caf/typed_response_promise.hpp>

#include <algorithm>
#include <cstddef>
#include <deque>
#include <memory>
#include <utility>

namespace troupe {

/// The row of the log that an event belongs to.
inline RowKey row_of(const LoopEvent& event) { return {event.worker, event.position.batches}; }

/// Records for the row of an event.
inline Write write_row(const LoopEvent& event, Records records, std::string settles = "") {
  return {row_of(event), event.position.epochs, event.position.seconds, std::move(records),
          std::move(settles)};
}

/// Records on their way to the logger before a confirmation waits for it: more than a disk's pause
/// takes, less than memory feels.
inline constexpr std::size_t records_ahead = 10'000;

/// The records that an observer has sent to the logger. An event is confirmed once the logger has
/// written all but `records_ahead` of those so far; so a trainer that is faster than the logger
/// fills the observer's window, which loses copies, and not the logger's mailbox.
class RecordsOnTheWay {
public:
  explicit RecordsOnTheWay(Logger logger) : logger_(std::move(logger)) {}

  template <class Self>
  void write(Self self, Write row) {
    sent_ += row.records.size();
    self->send(logger_, std::move(row));
  }

  /// Confirms the event that is being handled, now or later. @param me this one, kept until then
  template <class Self>
  static caf::result<void> confirm(Self self, const std::shared_ptr<RecordsOnTheWay>& me) {
    const auto so_far = me->sent_;
    me->waiting_.push_back({so_far, self->make_response_promise()});
    me->answer();
    const auto written = [me, so_far] {
      me->written_ = std::max(me->written_, so_far);
      me->answer();
    };
    // Asks for nothing: the answer comes behind all that was sent before.
    self->request(me->logger_, caf::infinite, Query{0, 1, 0})
      .then([written](const Rows&) { written(); },
            [written](const caf::error&) { written(); }); // it has ended, and with it its mailbox
    return caf::delegated<void>{};
  }

private:
  struct Waiting {
    std::size_t sent = 0; ///< with the event's own records
    caf::response_promise promise;
  };

  void answer() {
    for (; !waiting_.empty() && waiting_.front().sent <= written_ + records_ahead;
         waiting_.pop_front())
      waiting_.front().promise.deliver(caf::unit);
  }

  Logger logger_;
  std::size_t sent_ = 0, written_ = 0;
  std::deque<Waiting> waiting_;
};

/// Handlers for an extension that does nothing but make records of an event: as an observer it
/// writes them, as a gate it answers with them. No records: nothing is written.
template <class Self, class Make>
auto writes_records(Self self, Logger logger, Make make) {
  return [=, on_the_way = std::make_shared<RecordsOnTheWay>(std::move(logger))](
           const LoopEvent& event) -> caf::result<void> {
    if (Records records = make(event); !records.empty())
      on_the_way->write(self, write_row(event, std::move(records)));
    if (!self->current_message_id().is_request())
      return caf::unit;
    return RecordsOnTheWay::confirm(self, on_the_way);
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
