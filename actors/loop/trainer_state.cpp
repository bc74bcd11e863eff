#include "actors/loop/trainer_state.hpp"

#include "actors/loop/run_failure.hpp"
#include "actors/loop/saved_trainer.hpp"
#include "base/exception_text.hpp"
#include "base/text/duration.hpp"
#include "messages/requests/error.hpp"
#include "messages/timing/clocks.hpp"

#include <stdexcept>
#include <utility>

namespace troupe {

void TrainerState::begin(Self self, std::shared_ptr<Learner> learner, const Logger& logger,
                         const TrainerOptions& options) {
  self_ = self;
  training.learner = std::move(learner);
  training.options = options;
  training.configured = training.learner->optimizer().settings();
  training.main = options.worker == 0;
  log_ = TrainerLog{self, logger, options.worker};
  batch_.begin(self, training, log_, [this](const std::string& error) {
    if (!error.empty()) {
      training.progress.end();
      fail_run(training, log_, error);
    }
    train_slice();
  });
  extensions.begin(self, training, log_,
                   {[this] {
                      if (training.run.running())
                        train_slice();
                    },
                    [this] { go_on_unless_busy(); }});
}

// -- messages -----------------------------------------------------------------------------------

caf::typed_response_promise<Finished> TrainerState::start() {
  auto promise = self_->make_response_promise<Finished>();
  auto& run = training.run;
  const auto& learner = *training.learner;
  const auto& order = learner.order();
  if (run.running()) {
    promise.deliver(
      fail(Error::already_running,
           training.worker() + " is training already; stop it before you start it again"));
    return promise;
  }
  if (order.batches_per_epoch() == 0) {
    promise.deliver(
      fail(Error::invalid_options, training.worker() + " has no batch to train on: its share of '"
                                     + learner.problem().name() + "' holds "
                                     + std::to_string(learner.problem().size(Section::train))
                                     + " examples over all workers; use fewer workers, a smaller "
                                       "batch_size or drop_last=false"));
    return promise;
  }
  finished_ = promise;
  training.clock.start(seconds_now(self_), run.position.seconds);
  // The last run may have been abandoned anywhere.
  training.progress.end();
  batch_.stop_waiting();
  training.steering.forget_common_end();
  training.times.start(run, seconds_now(self_), training.options.core_use);
  run.begin({order.batches_per_epoch(), learner.problem().epochs()});
  log_.write_status(status_records(training));
  if (const auto missing = extensions.take_missing(); !missing.empty())
    fail_run(training, log_, missing);
  if (!looking_)
    check_deadlines_later();
  go_on();
  if (const auto ordered = std::exchange(stop_at_start_, std::nullopt))
    stop(*ordered);
  return promise;
}

void TrainerState::stop(const Stop& stop) {
  auto& run = training.run;
  if (!run.running()) {
    if (training.steering.is_quiescing() && run.step == LoopPhase::idle)
      stop_at_start_ = stop; // all workers end here, and this worker's Start has not arrived yet
    return;
  }
  run.stop(stop);
  if (stop.level != StopLevel::after_epoch)
    training.steering.forget_common_end();
  if (stop.interrupt) {
    const Records flag{{stop.level == StopLevel::after_epoch ? "epoch_interrupt_received"
                                                             : "batch_interrupt_received",
                        Value{true}}};
    log_.write(run.position, flag);
    log_.write_status(flag);
  }
  if (run.over()) {
    extensions.stop_waiting();
    end();
  } else if (training.steering.is_paused()) {
    steer([](Steering& steering) { steering.resume(); });
  } else if (training.progress.waits_behind()) {
    go_on_unless_busy();
  }
}

caf::typed_response_promise<Quiesced> TrainerState::quiesce(Step batches) {
  training.steering.quiesce(batches);
  quiesced_ = self_->make_response_promise<Quiesced>();
  auto promise = quiesced_;
  if (!training.run.running() || training.progress.held(training.run, training.steering))
    say_quiesced();
  else
    go_on_unless_busy();
  return promise;
}

void TrainerState::be_main(bool main) {
  if (main != training.main && training.run.running())
    log_.say(Level::info,
             training.worker()
               + (main ? " is main now: it validates and saves for all" : " is no longer main"));
  training.main = main;
}

Status TrainerState::status() const {
  const auto& run = training.run;
  const auto paused
    = run.running() && training.steering.pauses(run.step) && !training.progress.calling();
  const auto& awaited = extensions.awaited();
  return status_of(training, paused ? "paused" : to_string(run.step),
                   awaited ? awaited.gate()->name : "");
}

caf::result<SavedTrainer> TrainerState::save(const Save& save) {
  settle_or_fail(training, log_);
  return saved_trainer(training, save);
}

caf::result<Restored> TrainerState::restore(const SavedTrainer& saved) {
  settle_or_fail(training, log_);
  if (auto error = restore_trainer(saved, seconds_now(self_), training))
    return error;
  if (training.main) // the changes are the same for all workers
    for (const auto& change : changes_since(saved, training))
      log_.say(Level::info, change);
  if (training.run.running())
    for (const auto& subscription : training.subscriptions.all())
      for (const auto& sentence :
           lost_conditions(subscription->conditions.conditions(), training.run.position))
        log_.say(Level::warning, "extension '" + subscription->name + "': " + sentence);
  return Restored{};
}

void TrainerState::leave_unfinished(const std::string& why) {
  const auto error = fail(Error::training_failed,
                          "the trainer of " + training.worker() + " has ended (" + why + ")");
  if (finished_.pending())
    finished_.deliver(error);
  if (quiesced_.pending())
    quiesced_.deliver(error);
}

void TrainerState::check_deadlines() {
  looking_ = false;
  if (!training.run.running())
    return;
  batch_.check_deadline();
  extensions.check_deadline();
  write_times();
  if (training.run.running() && !looking_)
    check_deadlines_later();
}

void TrainerState::write_times() {
  const auto now = seconds_now(self_);
  const auto waits = extensions.awaited() || training.progress.in_batch(); // not counted yet
  if (training.run.running() && !waits && training.times.is_due(now))
    log_.write_status(training.times.records(training.run, training.subscriptions, now));
}

void TrainerState::check_deadlines_later() {
  looking_ = true;
  const auto seconds = extensions.awaited().seconds_to_check(seconds_now(self_));
  self_->delayed_send(self_, timespan_of(seconds), CheckDeadlines{});
}

// -- steps ---------------------------------------------------------------------------------------

void TrainerState::go_on() {
  if (continuing_)
    return;
  continuing_ = true;
  self_->send(self_, ContinueTraining{});
}

void TrainerState::go_on_unless_busy() {
  if (training.run.running() && !extensions.awaited() && !training.progress.in_batch())
    go_on();
}

void TrainerState::train_slice() {
  continuing_ = false;
  auto& run = training.run;
  auto& progress = training.progress;
  auto& clock = training.clock;
  clock.tick(seconds_now(self_));
  training.times.go_on(clock.latest());
  const auto end_of_slice = clock.latest() + training.options.slice;
  while (run.running()) {
    if (extensions.awaited())
      return;
    const auto phase = run.step;
    auto done = true;
    switch (progress.next(run, training.steering)) {
    case NextAction::hold:
      training.times.hold(clock.latest());
      say_quiesced();
      return;
    case NextAction::advance:
      progress.end();
      run.advance();
      continue;
    case NextAction::train: done = train_batch(); break;
    case NextAction::update: update(); break;
    case NextAction::call: done = extensions.call(); break;
    }
    if (!done)
      return;
    if (run.step == phase && progress.leaves(run, training.steering))
      run.advance();
    const auto was_batch = phase == LoopPhase::batch || phase == LoopPhase::update;
    if (was_batch && (clock.latest() >= end_of_slice || !self_->mailbox().empty())) {
      go_on();
      return;
    }
  }
  end();
}

bool TrainerState::train_batch() {
  const auto& clock = training.clock;
  const auto lasts = training.options.step_duration > 0;
  if (!training.progress.in_batch()) {
    auto& run = training.run;
    training.steering.count_batch();
    if (!run.started)
      run.totals.initialization_seconds += clock.since_start(clock.latest());
    training.progress.begin_batch();
    batch_.start(clock.latest());
    if (lasts) { // computes when its time is over, so that no message arrives within a step
      continuing_ = true;
      self_->delayed_send(self_, timespan_of(training.options.step_duration), ContinueTraining{});
      return false;
    }
  }
  try {
    if (!batch_.read())
      return false;
    training.progress.end();
    batch_.find_gradient(lasts ? batch_.started_at() : seconds_now(self_));
  } catch (...) {
    training.progress.end();
    fail_run(training, log_, exception_text());
  }
  return true;
}

void TrainerState::update() {
  try {
    batch_.update(seconds_now(self_));
  } catch (...) {
    fail_run(training, log_, exception_text());
  }
}

void TrainerState::end() {
  say_quiesced();
  if (!finished_.pending())
    return;
  training.clock.tick(seconds_now(self_));
  training.run.position.seconds = training.clock.seconds(training.clock.latest());
  auto answer = finished_of(training);
  for (const auto& report : answer.subscriptions)
    if (report.lost > 0)
      log_.say(Level::warning, "extension '" + report.name + "' was too slow: it lost "
                                 + std::to_string(report.lost) + " of "
                                 + std::to_string(report.lost + report.sent) + " copies of "
                                 + training.worker() + "'s events; training did not wait for it");
  log_.write_status(status_records(training));
  finished_.deliver(std::move(answer));
  finished_ = {};
}

void TrainerState::say_quiesced() {
  if (quiesced_.pending())
    settle_or_fail(training, log_);
  if (quiesced_.pending())
    quiesced_.deliver(Quiesced{training.run.position, training.run.running()});
  quiesced_ = {};
}

} // namespace troupe
