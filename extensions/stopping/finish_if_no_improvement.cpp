#include "extensions/stopping/finish_if_no_improvement.hpp"

#include "extensions/support/extension_kind.hpp"
#include "extensions/support/saved_state.hpp"
#include "extensions/support/serial_queue.hpp"

#include <stdexcept>

namespace troupe {

Conditions finish_if_no_improvement_conditions() {
  return Conditions{}.set_trigger("after_epoch", true);
}

std::string patience_record_of(const FinishIfNoImprovementOptions& options) {
  if (!options.patience_record.empty())
    return options.patience_record;
  return options.notification + "_patience_" + Patience{options.epochs, options.batches}.unit();
}

std::string patience_records_of(const FinishIfNoImprovementOptions& options) {
  return options.patience_record.empty() ? options.notification + "_patience_*"
                                         : options.patience_record;
}

FinishIfNoImprovement::FinishIfNoImprovement(const FinishIfNoImprovementOptions& options)
  : notification_(options.notification),
    patience_record_(patience_record_of(options)),
    patience_(options.epochs, options.batches) {
  if (notification_.empty())
    throw std::invalid_argument("the name of the record that marks the best row is missing; give "
                                "one, like notification: validation_loss_best_so_far");
}

MetricDecision FinishIfNoImprovement::decide(const LoopEvent& event, const Records& row) {
  const auto found = row.find(notification_);
  patience_.update(event.position, found != row.end() && truthy(found->second));
  MetricDecision decision;
  if (!patience_.begun())
    return decision;
  auto& answer = decision.answer;
  answer.records[patience_record_] = Value{patience_.left(event.position)};
  answer.finish = patience_.over(event.position) && !event.done;
  if (answer.finish)
    answer.reason = "no " + notification_ + " for " + patience_.text() + ", the last one was after "
                    + "batch " + std::to_string(patience_.state().batches) + ", epoch "
                    + std::to_string(patience_.state().epochs);
  return decision;
}

SavedFields FinishIfNoImprovement::state() const {
  SavedFields state;
  put(state, "last_best", patience_.state());
  return state;
}

void FinishIfNoImprovement::restore(const SavedFields& state) {
  auto last = patience_.state();
  take(state, "last_best", last);
  patience_.restore(last);
}

void check(const FinishIfNoImprovementOptions& options) {
  [[maybe_unused]] const FinishIfNoImprovement checked{options};
  request_deadline("finish_if_no_improvement", options.deadline);
}

Extension spawn_finish_if_no_improvement(caf::actor_system& system,
                                         const FinishIfNoImprovementOptions& options,
                                         Logger logger) {
  return spawn_metric_gate(system, "finish_if_no_improvement",
                           std::make_shared<FinishIfNoImprovement>(options), std::move(logger),
                           options.deadline);
}

namespace {

const RegisterExtension finish_if_no_improvement_kind{ExtensionOf<FinishIfNoImprovementOptions>{
  .name = "finish_if_no_improvement",
  .gate = true,
  .on_end = OnLoss::fail,
  .conditions = finish_if_no_improvement_conditions,
  .spawn =
    [](const FinishIfNoImprovementOptions& options, const ExtensionContext& context) {
      return spawn_finish_if_no_improvement(context.system, options, context.logger);
    },
  .writes = {finish_requested},
  .place =
    [](const FinishIfNoImprovementOptions& options, OrderedExtension& place) {
      place.needs = {options.notification};
      place.writes.push_back(patience_records_of(options));
    },
}};

} // namespace

} // namespace troupe
