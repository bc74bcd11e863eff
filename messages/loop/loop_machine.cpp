#include "messages/loop/loop_machine.hpp"

namespace troupe {

std::string to_string(LoopStep step) {
  if (auto callback = callback_of(step))
    return to_string(*callback);
  switch (step) {
  case LoopStep::idle: return "idle";
  case LoopStep::batch: return "batch";
  case LoopStep::update: return "update";
  case LoopStep::ended: return "ended";
  default: return "failed";
  }
}

std::optional<Callback> callback_of(LoopStep step) {
  switch (step) {
  case LoopStep::before_training: return Callback::before_training;
  case LoopStep::on_resumption: return Callback::on_resumption;
  case LoopStep::before_epoch: return Callback::before_epoch;
  case LoopStep::before_batch: return Callback::before_batch;
  case LoopStep::before_update: return Callback::before_update;
  case LoopStep::after_batch: return Callback::after_batch;
  case LoopStep::after_epoch: return Callback::after_epoch;
  case LoopStep::on_interrupt: return Callback::on_interrupt;
  case LoopStep::on_error: return Callback::on_error;
  case LoopStep::after_training: return Callback::after_training;
  default: return std::nullopt;
  }
}

namespace {

LoopStep the_end(const LoopFacts& facts) {
  return facts.interrupted ? LoopStep::on_interrupt : LoopStep::after_training;
}

LoopStep within_epoch(const LoopFacts& facts) {
  return facts.epoch_has_batch && !facts.close_epoch ? LoopStep::before_batch
                                                     : LoopStep::after_epoch;
}

LoopStep end_within_epoch(const LoopFacts& facts) {
  return facts.close_epoch && facts.epoch_started ? LoopStep::after_epoch : the_end(facts);
}

/// An epoch that was left in the middle goes on where it was, without another before_epoch.
LoopStep into_epoch(const LoopFacts& facts) {
  if (facts.epoch_started)
    return within_epoch(facts);
  return facts.data_ended ? the_end(facts) : LoopStep::before_epoch;
}

} // namespace

LoopStep next(LoopStep step, const LoopFacts& facts) {
  switch (step) {
  case LoopStep::idle: return LoopStep::before_training;
  case LoopStep::before_training:
    if (facts.finish)
      return the_end(facts);
    return facts.resumed ? LoopStep::on_resumption : into_epoch(facts);
  case LoopStep::on_resumption: return facts.finish ? end_within_epoch(facts) : into_epoch(facts);
  case LoopStep::before_epoch: return facts.finish ? end_within_epoch(facts) : within_epoch(facts);
  case LoopStep::before_batch: return facts.finish ? end_within_epoch(facts) : LoopStep::batch;
  case LoopStep::batch: return facts.update_waits ? LoopStep::before_update : LoopStep::after_batch;
  case LoopStep::before_update: return LoopStep::update;
  case LoopStep::update: return LoopStep::after_batch;
  case LoopStep::after_batch: return facts.finish ? end_within_epoch(facts) : within_epoch(facts);
  case LoopStep::after_epoch:
    return facts.finish || facts.finish_epoch ? the_end(facts) : into_epoch(facts);
  case LoopStep::on_interrupt: return LoopStep::after_training;
  case LoopStep::after_training: return LoopStep::ended;
  case LoopStep::on_error: return LoopStep::failed;
  case LoopStep::ended:
  case LoopStep::failed: return step;
  }
  return LoopStep::failed;
}

} // namespace troupe
