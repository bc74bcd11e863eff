// The training loop as a machine: which step comes after which, in Blocks' order, and nothing else.
// The trainer carries the steps out.
//
//   idle -> before_training -> [on_resumption] -> before_epoch -> before_batch -> batch
//   batch -> [before_update -> update] -> after_batch -> before_batch | after_epoch | the end
//   after_epoch -> before_epoch | the end
//   the end: [on_interrupt] -> after_training -> ended; an epoch that somebody closes has its
//   after_epoch before it
//   an error: on_error -> failed
//
// batch is the gradient and the update; where somebody is to see the gradient before, the update is
// a step of its own.
#pragma once

#include "messages/schedule/callback.hpp"

#include <optional>
#include <string>

namespace troupe {

enum class LoopPhase : std::uint8_t {
  idle,
  before_training,
  on_resumption,
  before_epoch,
  before_batch,
  batch,
  before_update,
  update,
  after_batch,
  after_epoch,
  on_interrupt,
  after_training,
  on_error,
  ended,
  failed,
};

std::string to_string(LoopPhase step);

/// The callback that a step is, where it is one.
std::optional<Callback> callback_of(LoopPhase step);

/// What the next step depends on.
struct LoopFacts {
  bool resumed = false;        ///< batches were done in an earlier run
  bool epoch_started = false;  ///< inside an epoch: before_epoch has been, after_epoch has not
  bool update_waits = false;   ///< somebody is to see the gradient before the update
  bool epoch_has_batch = true; ///< the running epoch has another batch
  bool close_epoch = false;    ///< the running epoch is over, whatever it has left
  bool data_ended = false;     ///< no further epoch can begin
  bool finish = false;         ///< end after this callback: asked by a gate or by Stop after_batch
  bool finish_epoch = false;   ///< end after this epoch
  bool interrupted = false;    ///< the end was asked from outside
};

/// @returns the step after `step`; ended and failed stay what they are.
LoopPhase next(LoopPhase step, const LoopFacts& facts);

} // namespace troupe
