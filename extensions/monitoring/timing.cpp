#include "extensions/monitoring/timing.hpp"

#include "extensions/support/extension_kind.hpp"
#include "extensions/support/saved_state.hpp"

#include <utility>

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
    if (!std::exchange(restored_, false))
      last_batch_ = last_epoch_
        = mark_of(event); // the time of an earlier run does not belong to this epoch
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
  const auto count
    = epoch ? event.position.epochs - last.epochs : event.position.batches - last.batches;
  if (count == 0)
    return records;
  const auto trained = event.position.training_seconds - last.training_seconds;
  const auto read = event.totals.reading_seconds - last.reading_seconds;
  const std::string unit = epoch ? "epoch" : "batch";
  records[prefix + "time_train_this_" + unit] = Value{trained / static_cast<double>(count)};
  records[prefix + "time_read_data_this_" + unit] = Value{read / static_cast<double>(count)};
  records[prefix + "time_train_total"] = Value{event.position.training_seconds};
  records[prefix + "time_read_data_total"] = Value{event.totals.reading_seconds};
  records[prefix + "time_gates_total"] = Value{event.totals.gate_seconds};
  last = mark_of(event);
  return records;
}

TimingRecords::Mark TimingRecords::mark_of(const LoopEvent& event) {
  return {event.position.batches, event.position.epochs, event.position.training_seconds,
          event.totals.reading_seconds};
}

SavedFields TimingRecords::state() const {
  SavedFields state;
  put(state, "begun", begun_);
  put(state, "last_batch", last_batch_);
  put(state, "last_epoch", last_epoch_);
  return state;
}

void TimingRecords::restore(const SavedFields& state) {
  take(state, "begun", begun_);
  take(state, "last_batch", last_batch_);
  take(state, "last_epoch", last_epoch_);
  restored_ = begun_;
}

Extension spawn_timing(caf::actor_system& system, TimingOptions options, Logger logger) {
  return spawn_record_maker(system, "timing", std::make_shared<TimingRecords>(std::move(options)),
                            std::move(logger));
}

namespace {

const RegisterExtension timing_kind{ExtensionOf<TimingOptions>{
  .name = "timing",
  .workers = "all",
  .only_records = true,
  .conditions = timing_conditions,
  .spawn =
    [](const TimingOptions& options, const ExtensionContext& context) {
      return spawn_timing(context.system, options, context.logger);
    },
  .place =
    [](const TimingOptions& options, OrderedExtension& place) {
      place.writes
        = {"time_initialization", options.prefix.empty() ? "time_*" : options.prefix + "_time_*"};
    },
}};

} // namespace

} // namespace troupe
