#include "extensions/stopping/early_stopping.hpp"

#include "extensions/support/serial_queue.hpp"

namespace troupe {

namespace {

TrackTheBestOptions tracking(const EarlyStoppingOptions& options) {
  return {options.record, options.notification, options.choose, options.nan, options.deadline};
}

FinishIfNoImprovementOptions finishing(const EarlyStoppingOptions& options) {
  return {notification_of(options), options.epochs, options.batches, options.patience_record,
          options.deadline};
}

} // namespace

Conditions early_stopping_conditions() { return Conditions{}.set_trigger("after_epoch", true); }

std::string notification_of(const EarlyStoppingOptions& options) {
  return notification_of(tracking(options));
}

EarlyStopping::EarlyStopping(const EarlyStoppingOptions& options)
  : track_(tracking(options)),
    finish_(finishing(options)) {}

RowDecision EarlyStopping::decide(const LoopEvent& event, const Records& row) {
  auto decision = track_.decide(event, row);
  auto noted = row;
  noted.insert(decision.answer.records.begin(), decision.answer.records.end());
  auto finish = finish_.decide(event, noted).answer;
  decision.answer.records.merge(finish.records);
  if (finish.finish && !decision.answer.finish) {
    const auto& best = track_.best();
    decision.answer.finish = true;
    decision.answer.reason
      = finish.reason + ", where " + best.record() + " was " + shortest(best.state().value);
  }
  return decision;
}

Records EarlyStopping::state() const {
  auto state = track_.state();
  auto of_finish = finish_.state();
  state.merge(of_finish); // their names differ: "best", "last_best"
  return state;
}

void EarlyStopping::restore(const Records& state) {
  track_.restore(state);
  finish_.restore(state);
}

void check(const EarlyStoppingOptions& options) {
  [[maybe_unused]] const EarlyStopping checked{options};
  request_deadline("early_stopping", options.deadline);
}

Extension spawn_early_stopping(caf::actor_system& system, const EarlyStoppingOptions& options,
                               Logger logger) {
  return spawn_row_gate(system, "early_stopping", std::make_shared<EarlyStopping>(options),
                        std::move(logger), options.deadline);
}

} // namespace troupe
