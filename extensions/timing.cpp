#include "troupe/extensions/timing.hpp"

#include "troupe/extensions/write_row.hpp"
#include "troupe/messages/type_ids.hpp"

#include <caf/typed_event_based_actor.hpp>

namespace troupe {

Conditions timing_conditions() {
  Conditions conditions;
  for (const auto* trigger : {"before_training", "after_epoch"})
    conditions.set_trigger(trigger, true);
  return conditions;
}

Records TimingRecords::records(const LoopEvent& event) {
  Records records;
  const auto begins = !begun_;
  const auto prefix = options_.prefix.empty() ? "" : options_.prefix + "_";
  if (event.callback == Callback::before_training || begins) {
    last_batch_ = last_epoch_ = event; // what a resumed run spent before is not of this epoch
    begun_ = true;
    if (event.callback == Callback::before_training)
      return records;
  }
  if (!initialization_written_ && event.started) {
    records["time_initialization"] = Value{event.totals.initialization_seconds};
    initialization_written_ = true;
  }
  const auto epoch = event.callback == Callback::after_epoch;
  auto& last = epoch ? last_epoch_ : last_batch_;
  const auto count = epoch ? event.position.epochs - last.position.epochs
                           : event.position.batches - last.position.batches;
  if (count == 0)
    return records;
  const auto trained = event.position.training_seconds - last.position.training_seconds;
  const auto read = event.totals.reading_seconds - last.totals.reading_seconds;
  const std::string unit = epoch ? "epoch" : "batch";
  records[prefix + "time_train_this_" + unit] = Value{trained / static_cast<double>(count)};
  records[prefix + "time_read_data_this_" + unit] = Value{read / static_cast<double>(count)};
  records[prefix + "time_train_total"] = Value{event.position.training_seconds};
  records[prefix + "time_read_data_total"] = Value{event.totals.reading_seconds};
  records[prefix + "time_gates_total"] = Value{event.totals.gate_seconds};
  last = event;
  return records;
}

namespace {

struct TimingState {
  static constexpr const char* name = "timing";
  TimingRecords timing;
};

Extension::behavior_type timing(Extension::stateful_pointer<TimingState> self,
                                const TimingOptions& options, const Logger& logger) {
  self->state.timing = TimingRecords{options};
  return {
    [self, logger](const LoopEvent& event) {
      if (auto records = self->state.timing.records(event); !records.empty())
        self->send(logger, write_row(event, std::move(records)));
    },
    [self](const AskGate& ask) {
      GateAnswer answer;
      answer.records = self->state.timing.records(ask.event);
      return answer;
    },
    [](const Drain&) { return Drained{}; },
  };
}

} // namespace

Extension spawn_timing(caf::actor_system& system, TimingOptions options, Logger logger) {
  return system.spawn(timing, std::move(options), std::move(logger));
}

} // namespace troupe
