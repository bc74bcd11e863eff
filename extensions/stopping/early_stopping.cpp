#include "extensions/stopping/early_stopping.hpp"

#include "extensions/support/extension_kind.hpp"
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

MetricDecision EarlyStopping::decide(const LoopEvent& event, const Records& row) {
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

SavedFields EarlyStopping::state() const {
  auto state = track_.state();
  auto of_finish = finish_.state();
  state.merge(of_finish); // their names differ: "best", "last_best"
  return state;
}

void EarlyStopping::restore(const SavedFields& state) {
  track_.restore(state);
  finish_.restore(state);
}

void check(const EarlyStoppingOptions& options) {
  [[maybe_unused]] const EarlyStopping checked{options};
  request_deadline("early_stopping", options.deadline);
}

Extension spawn_early_stopping(caf::actor_system& system, const EarlyStoppingOptions& options,
                               Logger logger) {
  return spawn_metric_gate(system, "early_stopping", std::make_shared<EarlyStopping>(options),
                           std::move(logger), options.deadline);
}

namespace {

/// The checkpoint that saves the best state, at the rows that are the best so far.
std::optional<ConfiguredExtension> best_checkpoint_of(const EarlyStoppingOptions& options,
                                                      const ConfiguredExtension& self) {
  using config::Node;
  if (options.save_to.empty())
    return {};
  ConfiguredExtension checkpoint;
  checkpoint.name = self.name + ".best";
  checkpoint.type = "checkpoint";
  checkpoint.options = Node::map();
  checkpoint.options.put("path", Node::scalar(options.save_to, config::default_source, true));
  checkpoint.options.put("keep", Node::scalar("1"));
  checkpoint.options.put("resumable", Node::scalar("false"));
  for (auto condition : self.conditions.all()) {
    condition.record = notification_of(options);
    checkpoint.conditions.add_condition(condition);
  }
  checkpoint.conditions.coalesce(self.conditions.coalesced());
  return checkpoint;
}

const RegisterExtension early_stopping_kind{ExtensionOf<EarlyStoppingOptions>{
  .name = "early_stopping",
  .gate = true,
  .on_end = OnLoss::fail,
  .conditions = early_stopping_conditions,
  .spawn =
    [](const EarlyStoppingOptions& options, const ExtensionContext& context) {
      return spawn_early_stopping(context.system, options, context.logger);
    },
  .writes = {finish_requested},
  .place =
    [](const EarlyStoppingOptions& options, OrderedExtension& place) {
      place.needs = {options.record};
      place.writes.insert(place.writes.end(),
                          {notification_of(options), patience_records_of(finishing(options))});
    },
  .companion = best_checkpoint_of,
  .hooks = {.best_state
            = [](const EarlyStoppingOptions& options,
                 const ConfiguredExtension&) { return options.test_best ? options.save_to : ""; }},
}};

} // namespace

} // namespace troupe
