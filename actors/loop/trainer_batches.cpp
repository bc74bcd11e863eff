// How the trainer comes by its batches and trains on them.
#include "actors/loop/trainer_state.hpp"
#include "base/exception_text.hpp"
#include "base/text/duration.hpp"

namespace troupe {

bool TrainerState::train_batch() {
  const auto lasts = options_.step_duration > 0;
  if (!in_batch_) {
    auto& allowed = stands_still_ ? steps_ : allowance_;
    if (allowed > 0)
      --allowed;
    if (!run_.started)
      run_.totals.initialization_seconds += clock_ - started_at_;
    step_began_ = clock_;
    in_batch_ = true;
    said_of_loader_ = false;
    if (options_.loader)
      ask_loader(run_.cursor);
    if (lasts) { // it computes when its time is over, so that nobody meets half a step
      continuing_ = true;
      self_->delayed_send(self_, timespan_of(options_.step_duration), ContinueTraining{});
      return false;
    }
  }
  try {
    if (!read_batch())
      return false;
    in_batch_ = false;
    const auto has_read = lasts ? step_began_ : now();
    reading_seconds_ = has_read - step_began_;
    gradient_seconds_ = 0;
    learner_->compute_gradient(run_.cursor, subscriptions_.any_shows(Shows::gradients));
    run_.update_waits = subscriptions_.any_at(Callback::before_update, run_.position);
    if (!run_.update_waits) {
      update(has_read);
      return true;
    }
    clock_ = now();
    gradient_seconds_ = clock_ - has_read;
    run_.position.seconds = seconds_before_ + (clock_ - started_at_);
  } catch (...) {
    in_batch_ = false;
    fail_run(exception_text());
  }
  return true;
}

void TrainerState::update(double since) {
  try {
    const auto keeps = subscriptions_.any_shows(Shows::step);
    updated_from_ = keeps ? learner_->parameters() : Block{};
    const auto result = learner_->update(run_.cursor);
    updated_to_ = keeps ? learner_->parameters() : Block{};
    clock_ = now();
    run_.position.seconds = seconds_before_ + (clock_ - started_at_);
    run_.count_batch(result, reading_seconds_, gradient_seconds_ + (clock_ - since));
    write_statistics();
  } catch (...) {
    fail_run(exception_text());
  }
}

void TrainerState::write_statistics() {
  Records records;
  for (const auto& [name, value] : learner_->statistics())
    records[name] = Value{value};
  write(records);
  run_.row.merge(std::move(records));
}

bool TrainerState::read_batch() {
  if (!options_.loader) {
    learner_->read(run_.cursor);
    return true;
  }
  auto batch = batches_ahead_.take(run_.cursor);
  waits_for_loader_ = !batch;
  if (!batch)
    return false;
  batches_ahead_.give_back(learner_->use(std::move(*batch)));
  ask_loader(run_.cursor + 1); // while this one is trained on, the loader fills what follows
  return true;
}

void TrainerState::ask_loader(Step wanted) {
  while (auto batch = batches_ahead_.ask(wanted))
    self_->request(options_.loader, caf::infinite, PrepareBatch{std::move(*batch)})
      .then([this](BatchPrepared& answer) { prepared(answer); },
            [this](const caf::error& error) { unprepared(error); });
}

void TrainerState::prepared(BatchPrepared& prepared) {
  batches_ahead_.arrived(std::move(prepared.batch));
  if (!waits_for_loader_ || !run_.running())
    return;
  ask_loader(run_.cursor); // what came may have been of an earlier place
  train_slice();
}

void TrainerState::unprepared(const caf::error& error) {
  batches_ahead_.lost();
  if (!waits_for_loader_ || !run_.running())
    return;
  waits_for_loader_ = in_batch_ = false;
  fail_run("the loader of its batches has ended (" + sentence(error)
           + "); start the run again, or set training.loader.ahead to 0 to do without it");
  train_slice();
}

void TrainerState::note_curriculum() {
  const auto length = learner_->problem().curriculum_length(run_.position.epochs - 1);
  if (length == 0)
    return;
  const Records records{{"curriculum_length", Value{static_cast<std::int64_t>(length)}}};
  write(records);
  run_.row.insert(records.begin(), records.end()); // for conditions that look at it
}

} // namespace troupe
