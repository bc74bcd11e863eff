#include "extensions/stopping/nan_guard.hpp"

#include "extensions/support/extension_kind.hpp"
#include "extensions/support/saved_state.hpp"
#include "messages/wire/type_ids.hpp"

#include <caf/typed_event_based_actor.hpp>

#include <cmath>
#include <stdexcept>
#include <utility>

namespace troupe {

namespace {

/// Over the batches so far; one that is masked throughout has none.
std::uint64_t batches_with_loss(const Totals& totals) {
  return totals.batches + totals.skipped_batches;
}

} // namespace

Conditions nan_guard_conditions() {
  Conditions conditions;
  for (const auto* trigger : {"before_training", "after_batch"})
    conditions.set_trigger(trigger, true);
  return conditions;
}

NanGuard::NanGuard(NanGuardOptions options) : options_(options) {
  if (options_.snapshot_every < 1)
    throw std::invalid_argument("snapshot_every of nan_guard is 0; it must be 1 batch or more");
  if (!(options_.factor > 0 && options_.factor <= 1))
    throw std::invalid_argument("factor of nan_guard is " + shortest(options_.factor)
                                + "; it must be greater than 0 and at most 1");
}

void NanGuard::begin(const LoopEvent& event) {
  skipped_ = event.totals.skipped_batches;
  with_loss_ = batches_with_loss(event.totals);
  if (good_.parameters.empty() && candidate_.parameters.empty())
    take_snapshot(event);
}

GateAnswer NanGuard::after_batch(const LoopEvent& event) {
  const auto skipped = event.totals.skipped_batches;
  const auto before = std::exchange(skipped_, skipped).value_or(skipped);
  const auto with_loss = batches_with_loss(event.totals);
  if (std::exchange(with_loss_, with_loss) == with_loss)
    return {}; // event.loss belongs to an earlier batch and says nothing about these parameters
  // If only the gradient is not finite, the parameters before the step are still good.
  if (std::isfinite(event.loss) && !candidate_.parameters.empty())
    good_ = std::move(candidate_);
  candidate_ = {};
  if (!std::isfinite(event.loss) || skipped > before)
    return not_finite(event);
  if (good_.parameters.empty() || event.position.batches - since_ >= options_.snapshot_every)
    take_snapshot(event);
  return {};
}

void NanGuard::take_snapshot(const LoopEvent& event) {
  since_ = event.position.batches;
  if (options_.policy == NanGuardPolicy::rewind)
    candidate_ = {event.position.batches, event.parameters.values, event.optimizer_slots,
                  event.optimizer_steps};
}

GateAnswer NanGuard::not_finite(const LoopEvent& event) {
  GateAnswer answer;
  const auto finite_loss = std::isfinite(event.loss);
  const auto what = std::string{finite_loss ? "the gradient" : "the loss"} + " of batch "
                    + std::to_string(event.position.batches) + " of worker "
                    + std::to_string(event.worker) + " is "
                    + (finite_loss ? "not finite" : shortest(event.loss));
  const auto stop = [&](const std::string& why) {
    answer.finish = true;
    answer.reason = what + why;
    return answer;
  };
  if (options_.policy == NanGuardPolicy::stop)
    return stop("");
  if (good_.parameters.empty())
    return stop(", and there are no good parameters to go back to");
  answer.parameters = good_.parameters;
  answer.optimizer_slots = good_.slots;
  answer.optimizer_steps = good_.steps;
  const auto parameters = "the parameters after batch " + std::to_string(good_.batch);
  if (rewinds_ >= options_.most) // training can be continued from them with smaller steps
    return stop(" after " + std::to_string(rewinds_) + " rewinds; training ends with " + parameters
                + ": check the data, or continue with a smaller learning rate");
  ++rewinds_;
  answer.settings["learning_rate"] = event.learning_rate * options_.factor;
  answer.records["nan_guard_rewinds"] = Value{static_cast<std::int64_t>(rewinds_)};
  answer.reason = what + "; training continues with " + parameters + " and a learning rate of "
                  + shortest(event.learning_rate * options_.factor);
  since_ = event.position.batches;
  return answer;
}

SavedFields NanGuard::state() const {
  SavedFields state;
  put(state, "rewinds", rewinds_);
  put(state, "since", since_);
  put(state, "skipped", skipped_.value_or(0));
  if (with_loss_)
    put(state, "with_loss", *with_loss_);
  if (!good_.parameters.empty())
    put(state, "good", good_);
  if (!candidate_.parameters.empty())
    put(state, "candidate", candidate_);
  return state;
}

void NanGuard::restore(const SavedFields& state) {
  take(state, "rewinds", rewinds_);
  take(state, "since", since_);
  std::uint64_t skipped = 0;
  take(state, "skipped", skipped);
  skipped_ = skipped;
  with_loss_.reset();
  if (state.count("with_loss") > 0)
    take(state, "with_loss", with_loss_.emplace());
  good_ = candidate_ = {};
  take(state, "good", good_);
  take(state, "candidate", candidate_);
}

namespace {

struct NanGuardState {
  static constexpr const char* name = "nan guard";
  NanGuard guard;
};

Extension::behavior_type nan_guard(Extension::stateful_pointer<NanGuardState> self,
                                   const NanGuardOptions& options, const Logger& logger) {
  auto& guard = self->state.guard;
  guard = NanGuard{options};
  return {
    [](const LoopEvent&) {}, // an observer cannot change anything
    [self, &guard, logger](const AskGate& ask) {
      if (ask.event.callback != Callback::after_batch) {
        guard.begin(ask.event);
        return GateAnswer{};
      }
      auto answer = guard.after_batch(ask.event);
      if (!answer.reason.empty() && !answer.finish)
        self->send(logger, Say{Level::warning, std::exchange(answer.reason, "")});
      return answer;
    },
    [](const Drain&) { return Drained{}; },
    saves(guard),
    restores(guard),
  };
}

} // namespace

void check(const NanGuardOptions& options) { [[maybe_unused]] const NanGuard checked{options}; }

Extension spawn_nan_guard(caf::actor_system& system, const NanGuardOptions& options,
                          Logger logger) {
  check(options);
  return system.spawn(nan_guard, options, std::move(logger));
}

namespace {

const RegisterExtension nan_guard_kind{ExtensionOf<NanGuardOptions>{
  .name = "nan_guard",
  .gate = true,
  .shows = Shows::optimizer,
  .workers = "all",
  .on_end = OnLoss::fail,
  .conditions = nan_guard_conditions,
  .spawn =
    [](const NanGuardOptions& options, const ExtensionContext& context) {
      return spawn_nan_guard(context.system, options, context.logger);
    },
  .writes = {"nan_guard_rewinds", finish_requested},
  .hooks = {.warnings = [](const NanGuardOptions&, const ConfiguredExtension&,
                           const ExtensionContext& context) -> Sentences {
    if (context.nan != NanPolicy::stop)
      return {};
    return {"never acts: training.nan is stop, which fails at a loss that is not finite before a "
            "guard is asked; set training.nan=skip"};
  }},
}};

} // namespace

} // namespace troupe
