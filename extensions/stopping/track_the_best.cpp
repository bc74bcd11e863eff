#include "extensions/stopping/track_the_best.hpp"

#include "extensions/support/extension_kind.hpp"
#include "extensions/support/saved_state.hpp"
#include "extensions/support/serial_queue.hpp"

namespace troupe {

Conditions track_the_best_conditions() { return Conditions{}.set_trigger("after_epoch", true); }

std::string notification_of(const TrackTheBestOptions& options) {
  return options.notification.empty() ? options.record + "_best_so_far" : options.notification;
}

TrackTheBest::TrackTheBest(const TrackTheBestOptions& options)
  : notification_(notification_of(options)),
    nan_(options.nan),
    best_(options.record, options.choose) {}

MetricDecision TrackTheBest::decide(const LoopEvent& event, const Records& row) {
  MetricDecision decision;
  const auto found = best_.offer(row);
  if (found == BestRecord::Decision::best) {
    decision.answer.records[notification_] = Value{true};
    decision.status["best_" + best_.record()] = Value{best_.state().value};
  } else if (found == BestRecord::Decision::not_a_number && nan_ == OnNan::stop && !event.done) {
    decision.answer.finish = true;
    decision.answer.reason
      = best_.record() + " is not a number after batch " + std::to_string(event.position.batches)
        + ", epoch " + std::to_string(event.position.epochs)
        + (best_.state().any ? "; the best one was " + shortest(best_.state().value)
                             : "; there was no number before");
  }
  return decision;
}

SavedFields TrackTheBest::state() const {
  SavedFields state;
  put(state, "best", best_.state());
  return state;
}

void TrackTheBest::restore(const SavedFields& state) {
  auto best = best_.state();
  take(state, "best", best);
  best_.restore(best);
}

void check(const TrackTheBestOptions& options) {
  [[maybe_unused]] const TrackTheBest checked{options};
  request_deadline("track_the_best", options.deadline);
}

Extension spawn_track_the_best(caf::actor_system& system, const TrackTheBestOptions& options,
                               Logger logger) {
  return spawn_metric_gate(system, "track_the_best", std::make_shared<TrackTheBest>(options),
                           std::move(logger), options.deadline);
}

namespace {

const RegisterExtension track_the_best_kind{ExtensionOf<TrackTheBestOptions>{
  .name = "track_the_best",
  .gate = true,
  .on_end = OnLoss::fail,
  .conditions = track_the_best_conditions,
  .spawn =
    [](const TrackTheBestOptions& options, const ExtensionContext& context) {
      return spawn_track_the_best(context.system, options, context.logger);
    },
  .place =
    [](const TrackTheBestOptions& options, OrderedExtension& place) {
      place.needs = {options.record};
      place.writes = {notification_of(options)};
    },
}};

} // namespace

} // namespace troupe
