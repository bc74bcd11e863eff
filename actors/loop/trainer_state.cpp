#include "actors/loop/trainer_state.hpp"

#include "actors/loop/saved_learner.hpp"
#include "messages/timing/clocks.hpp"

#include <stdexcept>

namespace troupe {

void TrainerState::begin(Self self, std::shared_ptr<Learner> learner, Logger logger,
                         TrainerOptions options) {
  self_ = self;
  learner_ = std::move(learner);
  logger_ = std::move(logger);
  options_ = options;
  configured_ = learner_->optimizer().settings();
  main_ = options_.worker == 0;
  batches_ahead_ = BatchesAhead{options_.ahead};
}

double TrainerState::now() const { return seconds_now(self_); }

// -- steering -----------------------------------------------------------------------------------

caf::typed_response_promise<Finished> TrainerState::start() {
  auto promise = self_->make_response_promise<Finished>();
  const auto& order = learner_->order();
  if (run_.running()) {
    promise.deliver(
      fail(Error::already_running, "worker " + std::to_string(options_.worker)
                                     + " is training already; stop it before you start it again"));
    return promise;
  }
  if (order.batches_per_epoch() == 0) {
    promise.deliver(
      fail(Error::invalid_options, "worker " + std::to_string(options_.worker)
                                     + " has no batch to train on: its share of '"
                                     + learner_->problem().name() + "' holds "
                                     + std::to_string(learner_->problem().size(Section::train))
                                     + " examples over all workers; use fewer workers, a smaller "
                                       "batch_size or drop_last=false"));
    return promise;
  }
  finished_ = promise;
  seconds_before_ = run_.position.seconds;
  started_at_ = now();
  // The last run may have been abandoned anywhere.
  serving_ = in_batch_ = waits_for_loader_ = said_of_loader_ = awaits_end_ = served_ = false;
  run_.begin({order.batches_per_epoch(), learner_->problem().epochs()});
  write_status();
  if (!missing_.empty())
    fail_run(missing_.begin()->second);
  missing_.clear();
  if (!looking_)
    check_deadlines_later();
  go_on();
  if (const auto ordered = std::exchange(stop_at_start_, std::nullopt))
    stop(*ordered);
  return promise;
}

void TrainerState::stop(const Stop& stop) {
  if (!run_.running()) {
    if (stands_still_ && run_.step == LoopPhase::idle)
      stop_at_start_ = stop; // all workers end here, and this one's Start is still on its way
    return;
  }
  run_.stop(stop);
  awaits_end_ = awaits_end_ && stop.level == StopLevel::after_epoch;
  if (stop.interrupt && logger_) {
    const Records flag{{stop.level == StopLevel::after_epoch ? "epoch_interrupt_received"
                                                             : "batch_interrupt_received",
                        Value{true}}};
    write(flag);
    self_->send(logger_, WriteStatus{options_.worker, flag});
  }
  if (run_.over()) {
    stop_waiting();
    end();
  } else if (paused_) {
    resume();
  } else if (served_) {
    go_on_unless_busy();
  }
}

void TrainerState::pause() {
  paused_ = true;
  allowance_ = 0;
}

void TrainerState::resume() {
  paused_ = false;
  go_on_unless_busy();
}

void TrainerState::advance(Step batches) {
  allowance_ += batches;
  paused_ = true;
  go_on_unless_busy();
}

caf::typed_response_promise<Quiesced> TrainerState::quiesce(Step batches) {
  stands_still_ = true;
  steps_ = batches;
  quiesced_ = self_->make_response_promise<Quiesced>();
  auto promise = quiesced_;
  if (!run_.running() || (holds() && !serving_ && !in_batch_))
    say_quiesced();
  else
    go_on_unless_busy();
  return promise;
}

void TrainerState::leave_quiescence() {
  stands_still_ = false;
  go_on_unless_busy();
}

void TrainerState::go_on_unless_busy() {
  if (run_.running() && !awaited_.gate && !in_batch_)
    go_on();
}

void TrainerState::say_quiesced() {
  if (quiesced_.pending())
    quiesced_.deliver(Quiesced{run_.position, run_.running()});
  quiesced_ = {};
}

caf::result<SetDone> TrainerState::set(const std::map<std::string, double>& settings) {
  try {
    set_all(settings, learner_->optimizer());
    return SetDone{};
  } catch (const std::invalid_argument& e) {
    return fail(Error::invalid_options, e.what());
  }
}

caf::result<SetDone> TrainerState::register_timeline(const std::string& name) {
  if (is_builtin_timeline(name))
    return fail(Error::invalid_options, "'" + name + "' cannot be the name of a timeline of yours");
  try {
    static_cast<void>(each(1).on(name)); // a schedule can name it
  } catch (const std::invalid_argument& e) {
    return fail(Error::invalid_options, e.what());
  }
  run_.position.timelines.emplace(name, 0.0);
  return SetDone{};
}

void TrainerState::be_main(bool main) {
  if (main != main_ && run_.running())
    say(Level::info,
        "worker " + std::to_string(options_.worker)
          + (main ? " is main now: it validates and saves for all" : " is no longer main"));
  main_ = main;
}

Status TrainerState::status() const {
  Status status;
  status.worker = options_.worker;
  status.phase = run_.running() && pauses() && !serving_ ? "paused" : to_string(run_.step);
  if (awaited_.gate)
    status.waiting_for = awaited_.gate->name;
  status.position = run_.position;
  status.totals = run_.totals;
  status.expected_length = expected_length();
  status.loss = run_.loss;
  status.learning_rate = learner_->optimizer().learning_rate();
  status.subscriptions = subscriptions_.reports_of_present();
  status.interrupted = run_.interrupted_now();
  return status;
}

ExpectedLength TrainerState::expected_length() const {
  const auto& order = learner_->order();
  return {order.batches_per_epoch(), static_cast<std::uint64_t>(order.examples_per_epoch()),
          options_.epochs, options_.batches, options_.seconds};
}

// -- the loop ------------------------------------------------------------------------------------

void TrainerState::go_on() {
  if (continuing_)
    return;
  continuing_ = true;
  self_->send(self_, ContinueTraining{});
}

bool TrainerState::pauses() const {
  return paused_ && run_.step == LoopPhase::before_batch && allowance_ == 0;
}

bool TrainerState::holds() const {
  if (served_)
    return stands_still_ ? steps_ == 0 : awaits_end_;
  return stands_still_ ? run_.step == LoopPhase::before_batch && steps_ == 0 : pauses();
}

void TrainerState::train_slice() {
  continuing_ = false;
  clock_ = now();
  const auto end_of_slice = clock_ + options_.slice;
  while (run_.running()) {
    if (awaited_.gate)
      return;
    if (holds() && !serving_) {
      say_quiesced();
      return;
    }
    if (std::exchange(served_, false)
        || (run_.step == LoopPhase::before_batch && !serving_ && run_.ends_now())) {
      run_.advance(); // somebody has stopped it while it stood there, or it goes on for others
      continue;
    }
    const auto step = run_.step;
    auto done = true;
    if (step == LoopPhase::batch)
      done = train_batch();
    else if (step == LoopPhase::update)
      update(now());
    else
      done = serve();
    if (!done)
      return;
    if (run_.step == step && stands_behind(step)) {
      served_ = true;
      continue;
    }
    if (run_.step == step)
      run_.advance();
    if ((step == LoopPhase::batch || step == LoopPhase::update)
        && (clock_ >= end_of_slice || !self_->mailbox().empty())) {
      go_on();
      return;
    }
  }
  end();
}

} // namespace troupe
