#include "actors/loop/trainer_state.hpp"

#include "actors/loop/saved_trainer.hpp"
#include "base/exception_text.hpp"
#include "base/text/duration.hpp"
#include "messages/requests/error.hpp"
#include "messages/timing/clocks.hpp"

#include <stdexcept>
#include <utility>

namespace troupe {

namespace {

/// Whether a callback occurs for each batch, so that its cost matters.
bool comes_with_each_batch(Callback callback) {
  return callback == Callback::before_batch || callback == Callback::before_update
         || callback == Callback::after_batch;
}

std::string listed(const std::vector<std::string>& reasons) {
  std::string text;
  for (const auto& reason : reasons)
    text += (text.empty() ? "" : "; ") + reason;
  return text;
}

/// The sequence length of the finished epoch, if the problem has a curriculum.
Records curriculum_records(const Training& training) {
  const auto length
    = training.learner->problem().curriculum_length(training.run.position.epochs - 1);
  if (length == 0)
    return {};
  return {{"curriculum_length", Value{static_cast<std::int64_t>(length)}}};
}

} // namespace

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
      progress_ = Progress::ready;
      fail_run(error);
    }
    train_slice();
  });
  calls_.begin(self, training, log_,
               {[this](const Subscription& gate, GateAnswer& answer) { answered(gate, answer); },
                [this](const Subscription& gate, bool late, const std::string& what) {
                  lose(gate, late, what);
                },
                [this] {
                  if (training.run.running())
                    train_slice();
                }});
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
  progress_ = Progress::ready;
  batch_.stop_waiting();
  steering_.forget_common_end();
  run.begin({order.batches_per_epoch(), learner.problem().epochs()});
  log_.write_status(status_records(training));
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

template <class Request>
caf::result<Subscribed> TrainerState::subscribe(const Request& request) {
  try {
    auto& run = training.run;
    if (run.running())
      run.position.seconds = training.clock.seconds(seconds_now(self_));
    auto& added = training.subscriptions.add(request, run.position, training.options.predicates);
    missing_.erase(added.name);
    if (progress_ == Progress::serving)
      calls_.added(training.subscriptions.place_of(added));
    if (added.is_gate())
      self_->monitor(added.gate);
    else
      self_->monitor(added.observer);
    Subscribed answer{added.id, {}};
    if (run.running() && run.position.batches > 0)
      answer.lost = lost_conditions(added.asked_for, run.position);
    for (const auto& sentence : answer.lost)
      log_.say(Level::warning, "extension '" + added.name + "': " + sentence);
    return answer;
  } catch (const std::invalid_argument& e) {
    return fail(Error::invalid_options, e.what());
  }
}

template caf::result<Subscribed> TrainerState::subscribe(const Subscribe&);
template caf::result<Subscribed> TrainerState::subscribe(const SubscribeGate&);

caf::result<Unsubscribed> TrainerState::unsubscribe(SubscriptionId id) {
  auto subscription = training.subscriptions.find(id);
  if (!subscription)
    return fail(Error::unknown_name, training.worker() + " has no subscription "
                                       + std::to_string(id) + "; it may have ended already");
  const auto lost = subscription->window.lost();
  subscription->ended = true;
  if (calls_.awaited().is(*subscription))
    calls_.stop_waiting();
  if (!training.run.running())
    training.subscriptions.sweep();
  return Unsubscribed{lost};
}

void TrainerState::stop(const Stop& stop) {
  auto& run = training.run;
  if (!run.running()) {
    if (steering_.is_quiescing() && run.step == LoopPhase::idle)
      stop_at_start_ = stop; // all workers end here, and this worker's Start has not arrived yet
    return;
  }
  run.stop(stop);
  if (stop.level != StopLevel::after_epoch)
    steering_.forget_common_end();
  if (stop.interrupt) {
    const Records flag{{stop.level == StopLevel::after_epoch ? "epoch_interrupt_received"
                                                             : "batch_interrupt_received",
                        Value{true}}};
    log_.write(run.position, flag);
    log_.write_status(flag);
  }
  if (run.over()) {
    calls_.stop_waiting();
    end();
  } else if (steering_.is_paused()) {
    steer([](Steering& steering) { steering.resume(); });
  } else if (progress_ == Progress::served) {
    go_on_unless_busy();
  }
}

caf::typed_response_promise<Quiesced> TrainerState::quiesce(Step batches) {
  steering_.quiesce(batches);
  quiesced_ = self_->make_response_promise<Quiesced>();
  auto promise = quiesced_;
  const auto stands = progress_ == Progress::ready || progress_ == Progress::served;
  if (!training.run.running() || (stands && hold() != Hold::none))
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
  const auto paused = run.running() && steering_.pauses(run.step) && progress_ != Progress::serving;
  const auto& awaited = calls_.awaited();
  return status_of(training, paused ? "paused" : to_string(run.step),
                   awaited ? awaited.gate()->name : "");
}

caf::result<SavedTrainer> TrainerState::save(const Save& save) {
  settle_or_fail();
  return saved_trainer(training, save);
}

caf::result<Restored> TrainerState::restore(const SavedTrainer& saved) {
  settle_or_fail();
  if (auto error = restore_trainer(saved, seconds_now(self_), training))
    return error;
  if (training.main) // the changes are the same for all workers
    for (const auto& change : changes_since(saved, training))
      log_.say(Level::info, change);
  if (training.run.running())
    for (const auto& subscription : training.subscriptions.all())
      for (const auto& sentence : lost_conditions(subscription->asked_for, training.run.position))
        log_.say(Level::warning, "extension '" + subscription->name + "': " + sentence);
  return Restored{};
}

void TrainerState::extension_ended(const caf::down_msg& down) {
  for (const auto& subscription : training.subscriptions.of(down.source)) {
    subscription->ended = true;
    const auto awaited = calls_.awaited().is(*subscription);
    lose(*subscription, false,
         "the actor of extension '" + subscription->name + "' has ended (" + sentence(down.reason)
           + ")"
           + (awaited ? " while training waited for it at " + to_string(training.run.step) : ""));
    if (awaited)
      calls_.stop_waiting();
    else if (!steering_.is_quiescing()) // a state may be saved before it continues
      go_on_unless_busy(); // if it waits for the common end, nothing else would wake it
  }
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
  calls_.check_deadline();
  if (training.run.running() && !looking_)
    check_deadlines_later();
}

void TrainerState::check_deadlines_later() {
  looking_ = true;
  const auto seconds = calls_.awaited().seconds_to_check(seconds_now(self_));
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
  if (training.run.running() && !calls_.awaited() && progress_ != Progress::in_batch)
    go_on();
}

void TrainerState::train_slice() {
  continuing_ = false;
  auto& run = training.run;
  auto& clock = training.clock;
  clock.tick(seconds_now(self_));
  const auto end_of_slice = clock.latest() + training.options.slice;
  while (run.running()) {
    if (calls_.awaited())
      return;
    if (progress_ != Progress::serving && hold() != Hold::none) {
      say_quiesced();
      return;
    }
    const auto step = run.step;
    if (progress_ == Progress::served
        || (progress_ == Progress::ready && step == LoopPhase::before_batch && run.ends_now())) {
      progress_ = Progress::ready;
      run.advance(); // it was stopped while it stood there, or it goes on for others
      continue;
    }
    auto done = true;
    if (step == LoopPhase::batch)
      done = train_batch();
    else if (step == LoopPhase::update)
      update();
    else
      done = serve();
    if (!done)
      return;
    if (run.step == step && steering_.holds_behind(step) && !run.ends_now()) {
      progress_ = Progress::served;
      continue;
    }
    if (run.step == step)
      run.advance();
    if ((step == LoopPhase::batch || step == LoopPhase::update)
        && (clock.latest() >= end_of_slice || !self_->mailbox().empty())) {
      go_on();
      return;
    }
  }
  end();
}

bool TrainerState::train_batch() {
  const auto& clock = training.clock;
  const auto lasts = training.options.step_duration > 0;
  if (progress_ != Progress::in_batch) {
    auto& run = training.run;
    steering_.count_batch();
    if (!run.started)
      run.totals.initialization_seconds += clock.since_start(clock.latest());
    progress_ = Progress::in_batch;
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
    progress_ = Progress::ready;
    batch_.find_gradient(lasts ? batch_.started_at() : seconds_now(self_));
  } catch (...) {
    progress_ = Progress::ready;
    fail_run(exception_text());
  }
  return true;
}

void TrainerState::update() {
  try {
    batch_.update(seconds_now(self_));
  } catch (...) {
    fail_run(exception_text());
  }
}

bool TrainerState::serve() {
  auto& run = training.run;
  const auto callback = *callback_of(run.step);
  if (progress_ != Progress::serving) {
    progress_ = Progress::serving;
    calls_.begin_callback(callback);
    if (!comes_with_each_batch(callback))
      run.position.seconds = training.clock.seconds(seconds_now(self_));
    if (callback == Callback::after_epoch) {
      const auto records = curriculum_records(training);
      log_.write(run.position, records);
      run.row.insert(records.begin(), records.end()); // for conditions on records
    }
  }
  while (progress_ == Progress::serving) {
    try {
      if (!comes_with_each_batch(callback))
        settle(training);
      if (!calls_.serve())
        return false;
      progress_ = Progress::ready;
    } catch (const std::runtime_error& e) {
      fail_run(e.what());
    }
  }
  if (callback == Callback::after_epoch)
    log_.write_status(status_records(training));
  if (!comes_with_each_batch(callback))
    training.subscriptions.sweep();
  return true;
}

// -- effects of extensions on the run -------------------------------------------------------------

void TrainerState::answered(const Subscription& gate, GateAnswer& answer) {
  auto& run = training.run;
  try {
    carry_out(answer, training);
    if (answer.finish) {
      const auto reason
        = answer.reason.empty() ? "'" + gate.name + "' asked for it" : answer.reason;
      std::vector<std::string> reasons{reason};
      reasons.insert(reasons.end(), answer.further_reasons.begin(), answer.further_reasons.end());
      finish(gate, reasons);
      answer.records["training_finish_requested"] = Value{reason};
    }
    if (answer.close_epoch)
      run.close_epoch();
    log_.write(run.position, answer.records);
    for (auto& [name, value] : answer.records)
      run.row[name] = std::move(value);
  } catch (const std::exception& e) {
    fail_run("the answer of extension '" + gate.name + "' at " + to_string(run.step)
             + " cannot be applied: " + e.what());
  }
}

void TrainerState::lose(const Subscription& subscription, bool late, const std::string& what) {
  const auto policy = late ? subscription.on_deadline : subscription.on_end;
  if (!training.run.running()) { // without training it matters only at the next Start
    if (policy == OnLoss::fail)
      missing_[subscription.name] = what;
    return;
  }
  if (steering_.is_paused() && policy != OnLoss::proceed)
    steer([](Steering& steering) { steering.resume(); }); // to the end
  switch (policy) {
  case OnLoss::proceed: log_.say(Level::warning, what + "; training continues without it"); break;
  case OnLoss::finish:
    log_.say(Level::warning, what + "; training ends here in good order");
    finish(subscription, {what});
    break;
  case OnLoss::fail:
    fail_run(what + "; start it again, or give '" + subscription.name + "' "
             + (late ? "on_deadline" : "on_end") + ": proceed if training can do without it");
    break;
  }
}

void TrainerState::finish(const Subscription& subscription,
                          const std::vector<std::string>& reasons) {
  auto& run = training.run;
  const auto for_all = subscription.main_only && stopper_ && run.step < LoopPhase::on_interrupt;
  if (!for_all || run.ends_now()) {
    for (const auto& reason : reasons)
      run.finish(reason);
    return;
  }
  if (steering_.await_common_end()) // otherwise the others already know of it
    self_->send(stopper_, StopAll{listed(reasons)});
}

void TrainerState::fail_run(const std::string& sentence) {
  auto& run = training.run;
  if (!run.error.empty()) { // the other handlers of on_error are still called
    log_.say(Level::error, "another error after that one: " + sentence);
    return;
  }
  if (progress_ != Progress::in_batch)
    progress_ = Progress::ready;
  run.fail(training.worker() + ": " + sentence);
  log_.write(run.position, {{"got_exception", Value{run.error}}});
}

void TrainerState::settle_or_fail() {
  try {
    settle(training);
  } catch (const std::runtime_error& e) {
    fail_run(e.what());
  }
}

void TrainerState::end() {
  say_quiesced();
  if (!finished_.pending())
    return;
  training.run.position.seconds = training.clock.seconds(seconds_now(self_));
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
    settle_or_fail();
  if (quiesced_.pending())
    quiesced_.deliver(Quiesced{training.run.position, training.run.running()});
  quiesced_ = {};
}

} // namespace troupe
