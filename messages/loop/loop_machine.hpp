// The training loop as a state machine: which phase follows which, in Blocks' order, and nothing
// else. The trainer carries the phases out.
//
//   idle -> before_training -> [on_resumption] -> before_epoch -> before_batch -> batch
//   batch -> [before_update -> update] -> after_batch -> before_batch | after_epoch | the end
//   after_epoch -> before_epoch | the end
//   the end: [on_interrupt] -> after_training -> ended; first after_epoch if the epoch is closed
//   an error: on_error -> failed
//
// batch is the gradient and the update; if an extension subscribes to before_update, the update is
// a phase of its own.
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

std::string to_string(LoopPhase phase);

/// The callback of a phase, if it has one.
std::optional<Callback> callback_of(LoopPhase phase);

/// What the next phase depends on.
struct LoopFacts {
  bool resumed = false;        ///< batches were done in an earlier run
  bool epoch_started = false;  ///< inside an epoch: before_epoch has been called, after_epoch has
                               ///< not
  bool update_waits = false;   ///< an extension sees the gradient before the update
  bool epoch_has_batch = true; ///< the running epoch has another batch
  bool close_epoch = false;    ///< the running epoch ends, whatever it has left
  bool data_ended = false;     ///< no further epoch can begin
  bool finish = false;         ///< end after this callback: asked by a gate or by Stop after_batch
  bool finish_epoch = false;   ///< end after this epoch
  bool interrupted = false;    ///< the end was requested from outside
};

/// @returns the phase after `phase`; ended and failed are final.
LoopPhase next(LoopPhase phase, const LoopFacts& facts);

} // namespace troupe
