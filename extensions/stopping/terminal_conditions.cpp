#include "extensions/stopping/terminal_conditions.hpp"

#include "base/text/text.hpp"
#include "extensions/support/extension_kind.hpp"
#include "extensions/support/saved_state.hpp"
#include "extensions/support/serial_queue.hpp"
#include "messages/schedule/choose.hpp"

#include <algorithm>
#include <stdexcept>

namespace troupe {

namespace {

std::optional<double> loss_in(const Records& row, const std::string& record) {
  const auto found = row.find(record);
  return found == row.end() ? std::nullopt : as_number(found->second);
}

} // namespace

Conditions terminal_conditions_conditions() {
  Conditions conditions;
  for (const auto* trigger : {"on_resumption", "after_epoch", "on_interrupt", "after_training"})
    conditions.set_trigger(trigger, true);
  return conditions;
}

TerminalGate::TerminalGate(const TerminalConditionsOptions& options)
  : record_(options.record),
    conditions_(options.trainer, options.limits, options.curriculum_epochs) {
  if (const auto defects = defects_of(options.limits, options.trainer, "limits"); !defects.empty())
    throw std::invalid_argument(defects.front());
  if (choice_by_name(record_) == Choose::max)
    throw std::invalid_argument("terminal_conditions ends training at a low loss, but record '"
                                + record_ + "' is better when it is larger; name a loss, like "
                                + "record: validation_loss");
}

MetricDecision TerminalGate::decide(const LoopEvent& event, const Records& row) {
  MetricDecision decision;
  switch (event.callback) {
  case Callback::on_resumption:
    decision.answer = answer(event, conditions_.resume(event.position));
    break;
  case Callback::after_batch:
  case Callback::after_epoch:
    if (event.callback == Callback::after_batch && conditions_.closes_epoch(event.position))
      decision.answer.close_epoch = true; // the epoch ends there, with its validation
    else
      decision.answer = answer(event, conditions_.update(event.position, loss_in(row, record_)));
    break;
  case Callback::on_interrupt: conditions_.interrupt(); break;
  case Callback::after_training:
    decision.answer.records[training_status] = Value{conditions_.status()};
    decision.status = status_records();
    break;
  default: break;
  }
  return decision;
}

/// Closes the epoch first if this is its last batch.
GateAnswer TerminalGate::answer(const LoopEvent& event,
                                const std::vector<TerminationCause>& causes) const {
  GateAnswer answer;
  if (causes.empty())
    return answer;
  answer.finish = true;
  answer.reason = conditions_.text(causes.front());
  for (std::size_t i = 1; i < causes.size(); ++i)
    answer.further_reasons.push_back(conditions_.text(causes[i]));
  answer.close_epoch = conditions_.closes_epoch(event.position)
                       || event.epoch_batches == event.expected_length.batches_per_epoch;
  return answer;
}

Records TerminalGate::status_records() const {
  const auto causes
    = joined(conditions_.causes(), "; ", [this](auto cause) { return conditions_.text(cause); });
  return {{training_status, Value{conditions_.status()}}, {training_causes, Value{causes}}};
}

SavedFields TerminalGate::state() const {
  SavedFields state;
  put(state, "conditions", conditions_.state());
  return state;
}

void TerminalGate::restore(const SavedFields& state) {
  auto conditions = conditions_.state();
  take(state, "conditions", conditions);
  conditions_.restore(conditions);
}

void check(const TerminalConditionsOptions& options) {
  [[maybe_unused]] const TerminalGate checked{options};
  request_deadline("terminal_conditions", options.deadline);
}

Extension spawn_terminal_conditions(caf::actor_system& system,
                                    const TerminalConditionsOptions& options, Logger logger) {
  return spawn_metric_gate(system, "terminal_conditions", std::make_shared<TerminalGate>(options),
                           std::move(logger), options.deadline);
}

namespace {

const RegisterExtension terminal_conditions_kind{ExtensionOf<TerminalConditionsOptions>{
  .name = "terminal_conditions",
  .gate = true,
  .on_end = OnLoss::fail,
  .conditions = terminal_conditions_conditions,
  .spawn =
    [](const TerminalConditionsOptions& options, const ExtensionContext& context) {
      return spawn_terminal_conditions(context.system, options, context.logger);
    },
  .writes = {training_status, finish_requested},
  .place = [](const TerminalConditionsOptions& options,
              OrderedExtension& place) { place.needs = {options.record}; },
  .hooks = {.ends =
              [](const TerminalConditionsOptions& options, const ConfiguredExtension&) {
                const auto episodes = std::max<std::int64_t>(0, options.limits.episode_limit);
                return ExpectedEnd{.batches = static_cast<Step>(episodes)};
              }},
}};

} // namespace

} // namespace troupe
