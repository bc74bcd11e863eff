#include "actors/loop/batch_step.hpp"

#include "messages/loop/loading.hpp"
#include "messages/requests/error.hpp"
#include "messages/timing/clocks.hpp"
#include "model/tensor/compute_scope.hpp"

#include <utility>

namespace troupe {

void BatchStep::begin(TrainerActor::pointer self, Training& training, TrainerLog log,
                      Resume resume) {
  self_ = self;
  training_ = &training;
  log_ = std::move(log);
  resume_ = std::move(resume);
  feed_ = BatchFeed{training.options.loader ? training.options.ahead : 0};
}

void BatchStep::start(double now) {
  began_ = now;
  feed_.begin(now);
  order(training_->run.cursor);
}

bool BatchStep::read() {
  const auto wanted = training_->run.cursor;
  if (!feed_.feed(*training_->learner, wanted))
    return false;
  order(wanted + 1); // the loader prepares the next ones while this one is trained on
  return true;
}

void BatchStep::find_gradient(double has_read) {
  const ComputeScope both; // the gradient and the update that may follow enter theirs for less
  auto& run = training_->run;
  const auto& subscriptions = training_->subscriptions;
  reading_seconds_ = has_read - began_;
  gradient_seconds_ = {};
  training_->learner->compute_gradient(run.cursor, subscriptions.any_shows(Shows::gradients));
  const auto shows_spans = subscriptions.any_shows_spans();
  run.update_waits = subscriptions.any_at(Callback::before_update, run.position);
  auto uncounted_since = has_read;
  if (run.update_waits || shows_spans || training_->times.gradient.splits_next()) {
    uncounted_since = take_time();
    gradient_seconds_ = uncounted_since - has_read;
  }
  if (shows_spans) {
    training_->spans.add("reading", began_, has_read);
    training_->spans.add("gradient", has_read, uncounted_since);
  }
  if (!run.update_waits)
    update(uncounted_since);
}

void BatchStep::update(double since) {
  auto& learner = *training_->learner;
  const auto keeps = training_->subscriptions.any_shows(Shows::step);
  training_->updated_from = keeps ? learner.parameters() : Block{};
  const auto result = learner.update(training_->run.cursor);
  training_->updated_to = keeps ? learner.parameters() : Block{};
  const auto now = take_time();
  const auto rest = now - since;
  if (training_->subscriptions.any_shows_spans()) {
    training_->spans.add("update", since, now);
    training_->spans.close();
  }
  training_->run.count_batch(result, reading_seconds_, gradient_seconds_.value_or(0) + rest);
  training_->times.gradient.count(gradient_seconds_, rest);
  if (training_->run.cursor % learner.order().batches_per_epoch() == 0)
    settle(*training_); // a batch is counted in its own epoch
  else
    count_late_results(*training_);
  write_statistics();
  if (training_->options.step_duration > 0 && !training_->subscriptions.any_shows(Shows::gradients))
    learner.release_step(); // others compute while this worker's virtual time passes
}

double BatchStep::take_time() {
  auto& clock = training_->clock;
  clock.tick(seconds_now(self_));
  training_->run.position.seconds = clock.seconds(clock.latest());
  return clock.latest();
}

void BatchStep::write_statistics() {
  Records records;
  for (const auto& [name, value] : training_->learner->statistics())
    records[name] = Value{value};
  log_.write(training_->run.position, records);
  training_->run.row.merge(std::move(records));
}

// -- the loader ----------------------------------------------------------------------------------

void BatchStep::order(Step wanted) {
  if (feed_.has_loader())
    while (auto batch = feed_.order(wanted))
      self_->request(training_->options.loader, caf::infinite, PrepareBatch{std::move(*batch)})
        .then([this](BatchPrepared& prepared) { arrived(prepared); },
              [this](const caf::error& error) { lost(error); });
}

void BatchStep::arrived(BatchPrepared& prepared) {
  feed_.arrived(std::move(prepared.batch));
  if (!feed_.waits() || !training_->run.running())
    return;
  order(training_->run.cursor); // this batch may have been of an earlier position
  resume_("");
}

void BatchStep::lost(const caf::error& error) {
  feed_.lost();
  if (!feed_.waits() || !training_->run.running())
    return;
  feed_.stop_waiting();
  resume_("the loader of its batches has ended (" + sentence(error)
          + "); start the run again, or set training.loader.ahead to 0 to do without it");
}

void BatchStep::check_deadline() {
  if (feed_.is_report_due(seconds_now(self_)))
    log_.say(Level::info, training_->worker() + " has waited 2 s for its loader to prepare batch "
                            + std::to_string(training_->run.cursor + 1));
}

} // namespace troupe
