#include "messages/loop/run_state.hpp"

#include "base/text/text.hpp"

#include <utility>

namespace troupe {

void RunState::begin(const DataFacts& data) {
  data_ = data;
  close_epoch_ = started = false;
  end_ = RequestedEnd{std::exchange(finishing, {})};
  error.clear();
  if (!std::exchange(restored, false))
    row.clear();
  step = next(LoopPhase::idle, {});
}

LoopFacts RunState::facts() const {
  LoopFacts facts;
  facts.resumed = position.batches > 0; // queried before the first batch
  facts.epoch_started = epoch_started;
  facts.update_waits = update_waits;
  facts.epoch_has_batch = cursor < (position.epochs + 1) * data_.batches_per_epoch;
  facts.close_epoch = close_epoch_;
  facts.data_ended = data_.epochs > 0 && position.epochs >= data_.epochs;
  facts.finish = end_.after_batch();
  facts.finish_epoch = end_.after_epoch(position.epochs);
  facts.interrupted = end_.interrupted();
  return facts;
}

void RunState::place(Step taken, bool inside_epoch, const Position& at) {
  auto registered = std::move(position.timelines);
  cursor = taken;
  epoch_started = inside_epoch;
  position = at;
  position.timelines.merge(registered);
}

LoopPhase RunState::advance() {
  const auto after = next(step, facts());
  if (after == LoopPhase::before_epoch) {
    epoch_started = true;
  } else if (after == LoopPhase::after_epoch) {
    epoch_started = false;
    ++position.epochs;
    epoch_ends.add(position.batches);
    if (std::exchange(close_epoch_, false))
      cursor = position.epochs * data_.batches_per_epoch; // skips what the epoch had left
    if (facts().data_ended)
      end_.end_by_itself();
    if (facts().finish_epoch)
      end_.reach_epoch_end();
  } else if (after == LoopPhase::after_training || after == LoopPhase::on_interrupt) {
    end_.complete();
  }
  step = after;
  return step;
}

Step RunState::epoch_batches() const {
  const auto begin = position.epochs * data_.batches_per_epoch;
  return epoch_started && cursor > begin ? cursor - begin : 0;
}

void RunState::count_batch(const StepResult& batch, double reading_seconds,
                           double training_seconds) {
  started = true;
  ++cursor;
  ++position.batches;
  position.examples += static_cast<std::uint64_t>(batch.examples);
  position.training_seconds += training_seconds;
  totals.reading_seconds += reading_seconds;
  if (batch.state == StepState::done)
    count_loss(batch);
  if (!row.empty())
    row.clear();
}

void RunState::count_late(const StepResult& batch) {
  if (batch.state != StepState::dropped)
    return count_loss(batch);
  --cursor;
  --position.batches;
  position.examples -= static_cast<std::uint64_t>(batch.examples);
}

void RunState::count_loss(const StepResult& batch) {
  if (batch.skipped || batch.weight > 0)
    loss = batch.loss;
  if (batch.skipped) {
    ++totals.skipped_batches;
  } else if (batch.weight > 0) { // the loss of a batch that is masked throughout is none, not 0
    totals.loss.add(batch.loss * batch.weight);
    totals.batch_loss.add(batch.loss);
    totals.examples += static_cast<std::uint64_t>(batch.examples);
    ++totals.batches;
    totals.weight += batch.weight;
  }
}

void RunState::finish(const std::string& reason) {
  if (step < LoopPhase::on_interrupt) // afterwards it is decided how the run ends
    end_.end_by_itself();
  end_.finish(reason);
}

void RunState::stop(const Stop& stop) {
  if (stop.level == StopLevel::now)
    return abandon(stop.reason);
  if (stop.interrupt && (end_.by_itself() || step == LoopPhase::after_training))
    return; // nothing is left to continue
  if (stop.of_run && stop.level == StopLevel::after_batch && step < LoopPhase::on_interrupt)
    end_.end_by_itself();
  end_.stop(stop);
}

void RunState::close_epoch() { close_epoch_ = epoch_started; }

void RunState::fail(const std::string& sentence) {
  if (step == LoopPhase::on_error || step == LoopPhase::failed)
    return;
  error = sentence;
  step = LoopPhase::on_error;
}

void RunState::abandon(const std::string& reason) {
  end_.abandon(reason);
  step = LoopPhase::ended;
}

std::vector<std::string> RunState::pending_causes() const {
  const auto ends = running() && step != LoopPhase::on_error && ends_now() && !interrupted_now();
  return ends ? causes() : std::vector<std::string>{};
}

std::vector<std::string> RunState::causes_of_end() const {
  const auto has_finished = step == LoopPhase::ended && outcome() == Outcome::finished;
  return has_finished ? causes() : pending_causes();
}

Outcome RunState::outcome() const {
  if (!error.empty())
    return Outcome::failed;
  return end_.interrupted() || end_.abandoned() ? Outcome::interrupted : Outcome::finished;
}

std::string RunState::reason() const { return error.empty() ? joined(causes(), "; ") : error; }

} // namespace troupe
