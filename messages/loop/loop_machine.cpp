#include "messages/loop/loop_machine.hpp"

namespace troupe {

std::string to_string(LoopPhase phase) {
  if (auto callback = callback_of(phase))
    return to_string(*callback);
  switch (phase) {
  case LoopPhase::idle: return "idle";
  case LoopPhase::batch: return "batch";
  case LoopPhase::update: return "update";
  case LoopPhase::ended: return "ended";
  default: return "failed";
  }
}

std::optional<Callback> callback_of(LoopPhase phase) {
  switch (phase) {
  case LoopPhase::before_training: return Callback::before_training;
  case LoopPhase::on_resumption: return Callback::on_resumption;
  case LoopPhase::before_epoch: return Callback::before_epoch;
  case LoopPhase::before_batch: return Callback::before_batch;
  case LoopPhase::before_update: return Callback::before_update;
  case LoopPhase::after_batch: return Callback::after_batch;
  case LoopPhase::after_epoch: return Callback::after_epoch;
  case LoopPhase::on_interrupt: return Callback::on_interrupt;
  case LoopPhase::on_error: return Callback::on_error;
  case LoopPhase::after_training: return Callback::after_training;
  default: return std::nullopt;
  }
}

namespace {

LoopPhase the_end(const LoopFacts& facts) {
  return facts.interrupted ? LoopPhase::on_interrupt : LoopPhase::after_training;
}

LoopPhase within_epoch(const LoopFacts& facts) {
  return facts.epoch_has_batch && !facts.close_epoch ? LoopPhase::before_batch
                                                     : LoopPhase::after_epoch;
}

LoopPhase end_within_epoch(const LoopFacts& facts) {
  return facts.close_epoch && facts.epoch_started ? LoopPhase::after_epoch : the_end(facts);
}

/// Resumes an epoch that was left in the middle, without another before_epoch.
LoopPhase into_epoch(const LoopFacts& facts) {
  if (facts.epoch_started)
    return within_epoch(facts);
  return facts.data_ended ? the_end(facts) : LoopPhase::before_epoch;
}

} // namespace

LoopPhase next(LoopPhase phase, const LoopFacts& facts) {
  switch (phase) {
  case LoopPhase::idle: return LoopPhase::before_training;
  case LoopPhase::before_training:
    if (facts.finish)
      return the_end(facts);
    return facts.resumed ? LoopPhase::on_resumption : into_epoch(facts);
  case LoopPhase::on_resumption: return facts.finish ? end_within_epoch(facts) : into_epoch(facts);
  case LoopPhase::before_epoch: return facts.finish ? end_within_epoch(facts) : within_epoch(facts);
  case LoopPhase::before_batch: return facts.finish ? end_within_epoch(facts) : LoopPhase::batch;
  case LoopPhase::batch:
    return facts.update_waits ? LoopPhase::before_update : LoopPhase::after_batch;
  case LoopPhase::before_update: return LoopPhase::update;
  case LoopPhase::update: return LoopPhase::after_batch;
  case LoopPhase::after_batch: return facts.finish ? end_within_epoch(facts) : within_epoch(facts);
  case LoopPhase::after_epoch:
    return facts.finish || facts.finish_epoch ? the_end(facts) : into_epoch(facts);
  case LoopPhase::on_interrupt: return LoopPhase::after_training;
  case LoopPhase::after_training: return LoopPhase::ended;
  case LoopPhase::on_error: return LoopPhase::failed;
  case LoopPhase::ended:
  case LoopPhase::failed: return phase;
  }
  return LoopPhase::failed;
}

} // namespace troupe
