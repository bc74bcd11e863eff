#include "extensions/support/record_maker.hpp"

#include "extensions/support/call_user_code.hpp"
#include "extensions/support/saved_state.hpp"
#include "extensions/support/write_row.hpp"
#include "messages/wire/type_ids.hpp"

#include <caf/typed_event_based_actor.hpp>

#include <algorithm>
#include <deque>
#include <utility>

namespace troupe {

namespace {

/// The records that an observer has sent to the logger, and the events to confirm.
class RecordsInFlight {
public:
  using Self = Extension::pointer;

  explicit RecordsInFlight(Logger logger) : logger_(std::move(logger)) {}

  void write(Self self, Write row) {
    sent_ += row.records.size();
    self->send(logger_, std::move(row));
  }

  /// Confirms the current event, now or later. @param me this object, kept alive until then
  static caf::result<void> confirm(Self self, const std::shared_ptr<RecordsInFlight>& me) {
    const auto so_far = me->sent_;
    me->waiting_.push_back({so_far, self->make_response_promise()});
    me->answer();
    const auto written = [me, so_far] {
      me->written_ = std::max(me->written_, so_far);
      me->answer();
    };
    // An empty query: its answer comes after all records that were sent before.
    self->request(me->logger_, caf::infinite, Query{0, 1, 0})
      .then([written](const Rows&) { written(); },
            [written](const caf::error&) {
              written();
            }); // the logger has ended, and its mailbox with it
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

struct RecordMakerState {
  const char* name = "record maker"; ///< a literal: CAF reads it until the actor's end
  std::shared_ptr<RecordMaker> maker;
};

Extension::behavior_type record_maker(Extension::stateful_pointer<RecordMakerState> self,
                                      const char* name, const std::shared_ptr<RecordMaker>& given,
                                      const Logger& logger) {
  self->state.name = name;
  self->state.maker = given;
  auto& maker = *given;
  const auto in_flight = std::make_shared<RecordsInFlight>(logger);
  return {
    [self, &maker, in_flight](const LoopEvent& event) -> caf::result<void> {
      auto records = call_user_code(self, [&] { return maker.records(event); });
      if (!records)
        return caf::unit; // its end says why
      if (!records->empty())
        in_flight->write(self, write_row(event, std::move(*records)));
      if (!self->current_message_id().is_request())
        return caf::unit;
      return RecordsInFlight::confirm(self, in_flight);
    },
    [self, &maker](const AskGate& ask) -> caf::result<GateAnswer> {
      return call_user_code(self, [&] {
        GateAnswer answer;
        answer.records = maker.records(ask.event);
        return answer;
      });
    },
    [](const Drain&) { return Drained{}; },
    saves(maker),
    restores(maker),
  };
}

/// A function, which has no state.
class FunctionRecordMaker final : public RecordMaker {
public:
  explicit FunctionRecordMaker(std::function<Records(const LoopEvent&)> make)
    : make_(std::move(make)) {}

  Records records(const LoopEvent& event) override { return make_(event); }
  SavedFields state() const override { return {}; }
  void restore(const SavedFields&) override {}

private:
  std::function<Records(const LoopEvent&)> make_;
};

} // namespace

Extension spawn_record_maker(caf::actor_system& system, const char* name,
                             std::shared_ptr<RecordMaker> maker, Logger logger) {
  return system.spawn(record_maker, name, std::move(maker), std::move(logger));
}

Extension spawn_record_maker(caf::actor_system& system, const char* name,
                             std::function<Records(const LoopEvent&)> records, Logger logger) {
  return spawn_record_maker(system, name, std::make_shared<FunctionRecordMaker>(std::move(records)),
                            std::move(logger));
}

} // namespace troupe
