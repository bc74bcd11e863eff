#include "actors/loop/trainer.hpp"

#include "actors/cluster/exit_handler.hpp"
#include "actors/loop/saved_learner.hpp"
#include "actors/loop/saved_trainer.hpp"
#include "actors/loop/trainer_state.hpp"

#include <stdexcept>

namespace troupe {

namespace {

/// @returns an error with the sentence of the exception that `change` throws.
template <class Change>
caf::result<SetDone> done_or_refused(Change change) {
  try {
    change();
    return SetDone{};
  } catch (const std::invalid_argument& e) {
    return fail(Error::invalid_options, e.what());
  }
}

TrainerActor::behavior_type trainer(TrainerState::Self self, std::shared_ptr<Learner> learner,
                                    const Logger& logger, const TrainerOptions& options) {
  auto& state = self->state;
  auto& training = state.training;
  state.begin(self, std::move(learner), logger, options);
  self->set_down_handler([self](caf::down_msg& down) { self->state.extensions.actor_ended(down); });
  self->set_error_handler([self](caf::error& error) {
    if (!self->state.extensions.actor_failed(self->current_sender(), error))
      self->quit(std::move(error));
  });
  install_exit_handler(self, [&state](const std::string& why) { state.leave_unfinished(why); });
  return {
    [&state](const Start&) { return state.start(); },
    [&state](const Subscribe& subscribe) { return state.extensions.subscribe(subscribe); },
    [&state](const SubscribeGate& subscribe) { return state.extensions.subscribe(subscribe); },
    [&state](const Unsubscribe& unsubscribe) {
      return state.extensions.unsubscribe(unsubscribe.id);
    },
    [&state](const Stop& stop) { state.stop(stop); },
    [&state](const Pause&) { state.steer([](Steering& to) { to.pause(); }); },
    [&state](const Resume&) { state.steer([](Steering& to) { to.resume(); }); },
    [&state](const Advance& advance) {
      state.steer([&](Steering& to) { to.advance(advance.batches); });
    },
    [&state](const Quiesce& quiesce) { return state.quiesce(quiesce.batches); },
    [&state](const LeaveQuiescence&) { state.steer([](Steering& to) { to.leave_quiescence(); }); },
    [&state](const EndTogether& end) { state.extensions.end_together(end.stopper); },
    [&training](const Set& set) {
      return done_or_refused([&] { set_all(set.settings, training.learner->optimizer()); });
    },
    [&training](const RegisterTimeline& timeline) {
      return done_or_refused([&] { register_timeline(timeline.name, training.run.position); });
    },
    [&state](const BeMain& be) { state.be_main(be.main); },
    [&state](const GetStatus&) { return state.status(); },
    [&state](const Save& save) { return state.save(save); },
    [&state](const Restore& restore) { return state.restore(restore.state); },
    [&state](const ContinueTraining&) { state.train_slice(); },
    [&state](const CheckDeadlines&) { state.check_deadlines(); },
  };
}

} // namespace

Trainer spawn_trainer(caf::actor_system& system, std::shared_ptr<Learner> learner, Logger logger,
                      TrainerOptions options) {
  const auto who = "the trainer of worker " + std::to_string(options.worker);
  if (!learner)
    throw std::invalid_argument(who + " was given no learner (a null pointer); make one");
  if (options.loader && options.ahead == 0)
    throw std::invalid_argument(who
                                + " has a loader that may prepare 0 batches, so that none would "
                                  "ever arrive; set ahead to 1 or more, or give it no loader");
  return system.spawn(trainer, std::move(learner), std::move(logger), options);
}

} // namespace troupe
