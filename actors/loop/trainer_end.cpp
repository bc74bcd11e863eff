// How training ends: by itself, with all workers, or by an error.
#include "actors/loop/trainer_state.hpp"

namespace troupe {

void TrainerState::end_together(const RunStopper& stopper) { stopper_ = stopper; }

void TrainerState::finish(const Subscription& subscription,
                          const std::vector<std::string>& reasons) {
  const auto for_all = subscription.main_only && stopper_ && run_.step < LoopPhase::on_interrupt;
  if (!for_all || run_.ends_now()) {
    for (const auto& reason : reasons)
      run_.finish(reason);
    return;
  }
  if (std::exchange(awaits_end_, true)) // the others are on their way to it already
    return;
  std::string text;
  for (const auto& reason : reasons)
    text += (text.empty() ? "" : "; ") + reason;
  self_->send(stopper_, StopAll{text});
}

/// Only where the loop would end if it were asked to.
bool TrainerState::stands_behind(LoopPhase step) const {
  return awaits_end_ && !run_.ends_now() && step < LoopPhase::on_interrupt && callback_of(step)
         && step != LoopPhase::before_update;
}

void TrainerState::end() {
  say_quiesced();
  if (!finished_.pending())
    return;
  update_seconds();
  Finished finished;
  finished.worker = options_.worker;
  finished.main = main_;
  finished.outcome = run_.outcome();
  finished.causes = run_.causes;
  finished.error = run_.error;
  finished.position = run_.position;
  finished.totals = run_.totals;
  finished.parameters = {run_.position.batches, learner_->parameters()};
  finished.subscriptions = subscriptions_.reports();
  for (const auto& report : finished.subscriptions)
    if (report.lost > 0)
      say(Level::warning,
          "extension '" + report.name + "' was too slow: it lost " + std::to_string(report.lost)
            + " of " + std::to_string(report.lost + report.sent) + " copies of worker "
            + std::to_string(options_.worker) + "'s events; training did not wait for it");
  write_status();
  finished_.deliver(std::move(finished));
  finished_ = {};
}

void TrainerState::leave_unfinished(const std::string& why) {
  const auto error
    = fail(Error::training_failed,
           "the trainer of worker " + std::to_string(options_.worker) + " has ended (" + why + ")");
  if (finished_.pending())
    finished_.deliver(error);
  if (quiesced_.pending())
    quiesced_.deliver(error);
}

void TrainerState::fail_run(const std::string& sentence) {
  if (!run_.error.empty()) { // the other handlers of on_error still have their turn
    say(Level::error, "after that error, another: " + sentence);
    return;
  }
  serving_ = served_ = false;
  run_.fail("worker " + std::to_string(options_.worker) + ": " + sentence);
  write({{"got_exception", Value{run_.error}}});
}

} // namespace troupe
