// Events of the training loop for extensions, and the answer of a gate.
//
//   trainer                     extension
//     | ---- LoopEvent ----------> |   an observer: a copy, one way
//     | ---- AskGate ------------> |   a gate: awaited, with a deadline
//     | <--- GateAnswer ---------- |   records, parameters, finish, ...
//
// The callbacks, in Blocks' order:
//
//   before_training, [on_resumption],
//   ( before_epoch, ( before_batch, before_update, after_batch )*, after_epoch )*,
//   [on_interrupt], after_training      or, after a failure:  on_error
//
// At before_update the batch's gradient exists and nothing has changed yet: a gate can replace it.
// Without a subscription to it, gradient and update are one step.
//
// Records of before_batch and before_update of batch k belong to row k - 1 of the log, later ones
// to row k; those of after_epoch belong to the row of the epoch's last batch.
#pragma once

#include "base/records.hpp"
#include "messages/inspection/inspect.hpp"
#include "messages/loop/exact_sum.hpp"
#include "messages/loop/step_spans.hpp"
#include "messages/schedule/callback.hpp"
#include "messages/schedule/position.hpp"
#include "model/tensor/block.hpp"

#include <caf/replies_to.hpp>
#include <caf/typed_actor.hpp>

#include <map>
#include <string>
#include <vector>

namespace troupe {

/// Running sums since training started. The difference of two events gives a mean over the batches
/// between them, without a message for each batch.
struct Totals {
  ExactSum loss;              ///< over batches, of the mean loss before the update times its weight
  ExactSum batch_loss;        ///< over batches, of the mean loss
  double weight = 0;          ///< what `loss` is to be divided by: the sum of the batches' weights,
                              ///< rows or numbers of the targets that are not masked
  std::uint64_t examples = 0; ///< that the sums hold; skipped batches are left out, and those in
                              ///< which no target counts, since they have no loss
  std::uint64_t batches = 0;  ///< that were trained
  double reading_seconds = 0; ///< fetching batches
  double gate_seconds = 0;    ///< waiting for gates
  double initialization_seconds = 0; ///< from Start to the first batch
  std::uint64_t skipped_batches = 0; ///< not finite, under `nan: skip`
  TROUPE_FIELDS(loss, batch_loss, weight, examples, batches, reading_seconds, gate_seconds,
                initialization_seconds, skipped_batches);
};

/// A version of the parameters; copying it shares the values.
struct Snapshot {
  Version version = 0; ///< of a trainer: batches trained; of a holder: changes of its parameters
  Block values;        ///< one for each parameter of the layout
  TROUPE_FIELDS(version, values);
};

/// The expected length of the run, to show progress.
struct ExpectedLength {
  Step batches_per_epoch = 0;           ///< of this worker
  std::uint64_t examples_per_epoch = 0; ///< of this worker
  Epoch epochs = 0;   ///< The nearest limit after which training ends; 0 if no extension sets one
  Step batches = 0;   ///< the same in batches
  double seconds = 0; ///< the same in seconds of training
  TROUPE_FIELDS(batches_per_epoch, examples_per_epoch, epochs, batches, seconds);
};

/// Number of a subscription of one trainer, from 1.
using SubscriptionId = std::uint64_t;

/// A state vector of the optimizer, as long as the parameters.
struct SavedSlot {
  std::string name; ///< as in OptimizerSlot
  Block values;     ///< as long as the parameters
  TROUPE_FIELDS(name, values);
};

/// What a subscription's events carry beside the position.
enum class Shows : std::uint8_t {
  nothing,    ///< nothing: events are small
  spans,      ///< what the time of the last step went to; while subscribed, the clock is read more
  parameters, ///< the parameters after the last update
  optimizer,  ///< the parameters and the optimizer's slots
  gradients,  ///< the parameters and the gradient of the last batch
  update,     ///< all three: everything that determines the next parameters
  step, ///< the parameters, the gradient, and the result of the last update; while subscribed,
        ///< each update writes to other memory than it reads
};

/// An event that an extension subscribed to.
struct LoopEvent {
  SubscriptionId subscription = 0;               ///< whose conditions were true
  WorkerId worker = 0;                           ///< whose trainer it is
  Callback callback = Callback::before_training; ///< where the loop stands
  Position position;                             ///< after what happened
  Step epoch_batches = 0;                        ///< done in the running epoch; 0 between two
  std::uint64_t times = 1;            ///< times of the schedule between the last check and now
  std::vector<std::string> arguments; ///< of the condition that was true
  bool started = false;               ///< false before the first batch of this run
  bool done = false;                  ///< true once training has ended
  double loss = 0;                    ///< of the last batch that had one, before its update
  double learning_rate = 0;           ///< of the next update
  Totals totals;                      ///< since training started
  ExpectedLength expected_length;     ///< for a display of progress
  std::uint64_t lost = 0; ///< copies this observer missed since the last one that reached it
  std::string reason;     ///< why training ended or failed; at the last callbacks
  Snapshot parameters;    ///< if the subscription asked for them; otherwise empty
  std::vector<SavedSlot> optimizer_slots; ///< if the subscription asked for them
  Step optimizer_steps = 0;               ///< that made these
  /// If asked for: the gradient of the last update, after clipping; at before_update of the next
  /// one, before clipping.
  Block gradient;
  /// If asked for: the parameters before the last update and right after it, before gates changed
  /// them.
  Block updated_from, updated_to;
  std::vector<Span> spans; ///< if asked for: what the time of the last step went to
  TROUPE_FIELDS(subscription, worker, callback, position, epoch_batches, times, arguments, started,
                done, loss, learning_rate, totals, expected_length, lost, reason, parameters,
                optimizer_slots, optimizer_steps, gradient, updated_from, updated_to, spans);
};

/// An event for a gate: training waits for the answer.
struct AskGate {
  LoopEvent event;                        ///< as an observer would get it
  std::map<std::string, double> settings; ///< the optimizer's, of the next update, by name
  TROUPE_FIELDS(event, settings);
};

/// What a gate requests before the next step. Everything empty: continue.
struct GateAnswer {
  Records records;     ///< for the current row of the log; other gates' conditions see them
  bool finish = false; ///< end training after this callback
  std::string reason;  ///< for `finish`, to be shown
  Block parameters;    ///< replaces the trainer's parameters if not empty
  std::vector<SavedSlot> optimizer_slots; ///< replace the optimizer's if not empty
  Step optimizer_steps = 0; ///< that made these, from which the optimizer continues counting
  std::map<std::string, double> settings;  ///< by name, as in Set
  std::map<std::string, double> timelines; ///< sets user-registered timelines
  Block gradient; ///< at before_update: replaces the gradient, before clipping, if not empty
  std::vector<std::string> further_reasons; ///< for `finish`, after `reason`
  bool close_epoch = false; ///< ends the running epoch, however many batches it has left:
                            ///< after_epoch comes next, even if training is to end
  /// What the gate spent the time on in which training waited: seconds by part, such as "holder".
  std::map<std::string, double> spent;
  std::vector<Span> spans; ///< the same one after another, on the clock of the gate's process
  TROUPE_FIELDS(records, finish, reason, parameters, optimizer_slots, optimizer_steps, settings,
                timelines, gradient, further_reasons, close_epoch, spent, spans);
};

/// Gets copies of events. It can neither slow down nor stop a step: if it lags by more than its
/// window, copies are lost and counted.
using Observer = caf::typed_actor<caf::reacts_to<LoopEvent>>;

/// Is awaited by the trainer.
using Gate = caf::typed_actor<caf::replies_to<AskGate>::with<GateAnswer>>;

} // namespace troupe
