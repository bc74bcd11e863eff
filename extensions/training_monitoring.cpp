#include "troupe/extensions/training_monitoring.hpp"

#include "troupe/extensions/saved_state.hpp"
#include "troupe/extensions/write_row.hpp"
#include "troupe/messages/type_ids.hpp"

#include <caf/typed_event_based_actor.hpp>

namespace troupe {

Conditions training_monitoring_conditions() {
  Conditions conditions;
  for (const auto* trigger : {"before_training", "after_epoch"})
    conditions.set_trigger(trigger, true);
  return conditions;
}

Records TrainingMeans::commit(const LoopEvent& event) {
  const auto& now = event.totals;
  if (event.callback == Callback::before_training) {
    if (!begun_ || now.batches < last_.batches) // a first start, or one from an older state
      last_ = now;
    begun_ = true;
    return {};
  }
  const auto count = static_cast<double>(options_.weighted ? now.examples - last_.examples
                                                           : now.batches - last_.batches);
  const auto sum = options_.weighted ? now.loss - last_.loss : now.batch_loss - last_.batch_loss;
  last_ = now;
  if (count <= 0)
    return {};
  const auto name = (options_.prefix.empty() ? "" : options_.prefix + "_") + "loss"
                    + (options_.suffix.empty() ? "" : "_" + options_.suffix);
  return {{name, Value{sum / count}}, {"learning_rate", Value{event.learning_rate}}};
}

Records TrainingMeans::state() const {
  Records state;
  put(state, "begun", begun_);
  put(state, "last", last_);
  return state;
}

void TrainingMeans::restore(const Records& state) {
  take(state, "begun", begun_);
  take(state, "last", last_);
}

namespace {

struct TrainingMonitoringState {
  static constexpr const char* name = "training monitoring";
  TrainingMeans means;
};

Extension::behavior_type
training_monitoring(Extension::stateful_pointer<TrainingMonitoringState> self,
                    const TrainingMonitoringOptions& options, const Logger& logger) {
  self->state.means = TrainingMeans{options};
  return {
    [self, logger](const LoopEvent& event) {
      if (auto records = self->state.means.commit(event); !records.empty())
        self->send(logger, write_row(event, std::move(records)));
    },
    [self](const AskGate& ask) {
      GateAnswer answer;
      answer.records = self->state.means.commit(ask.event);
      return answer;
    },
    [](const Drain&) { return Drained{}; },
    [self](const SaveExtension&) { return SavedExtension{self->state.means.state()}; },
    [self](const RestoreExtension& restore) {
      self->state.means.restore(restore.state);
      return Restored{};
    },
  };
}

} // namespace

Extension spawn_training_monitoring(caf::actor_system& system, TrainingMonitoringOptions options,
                                    Logger logger) {
  return system.spawn(training_monitoring, std::move(options), std::move(logger));
}

} // namespace troupe
