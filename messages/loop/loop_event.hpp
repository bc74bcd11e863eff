// What extensions hear of the training loop, and what a gate answers.
//
//   trainer                     extension
//     | ---- LoopEvent ----------> |   an observer: a copy, one way
//     | ---- AskGate ------------> |   a gate: awaited, with a deadline
//     | <--- GateAnswer ---------- |   records, parameters, finish, ...
//
// The callbacks come in Blocks' order:
//
//   before_training, [on_resumption],
//   ( before_epoch, ( before_batch, before_update, after_batch )*, after_epoch )*,
//   [on_interrupt], after_training      or, where something failed:  on_error
//
// before_update is where the batch's gradient is there and nothing has changed yet: a gate can
// replace it. Where nobody subscribed to it, gradient and update are one step.
//
// What happened in before_batch and before_update of batch k belongs to row k - 1 of the log, what
// follows batch k to row k; after_epoch belongs to the row of the epoch's last batch.
#pragma once

#include "base/records.hpp"
#include "messages/inspection/inspect.hpp"
#include "messages/loop/exact_sum.hpp"
#include "messages/schedule/callback.hpp"
#include "messages/schedule/position.hpp"
#include "model/tensor/block.hpp"

#include <caf/replies_to.hpp>
#include <caf/typed_actor.hpp>

#include <map>
#include <string>
#include <vector>

namespace troupe {

/// Running sums since training started; the difference of two events gives a mean over what lies
/// between them, so that nobody needs a message per batch.
struct Totals {
  double loss = 0;            ///< sum over batches of the mean loss before the update, times what
                              ///< it is a mean over (LoopEvent::counted)
  double batch_loss = 0;      ///< sum over batches of the mean loss
  std::uint64_t examples = 0; ///< that the sums hold; skipped batches are left out, and those in
                              ///< which no target counts, since they have no loss
  std::uint64_t batches = 0;
  double reading_seconds = 0;        ///< fetching batches
  double gate_seconds = 0;           ///< waiting for gates
  double initialization_seconds = 0; ///< from Start to the first batch
  std::uint64_t skipped_batches = 0; ///< not finite, under `nan: skip`
  FIELDS(loss, batch_loss, examples, batches, reading_seconds, gate_seconds, initialization_seconds,
         skipped_batches);
};

/// A version of the parameters; sharing it copies nothing.
struct Snapshot {
  Version version = 0;
  Block values;
  FIELDS(version, values);
};

/// What the trainer trains, for whoever draws progress.
struct ExpectedLength {
  Step batches_per_epoch = 0;
  std::uint64_t examples_per_epoch = 0;
  // After which training ends; 0 where no extension says so. The nearest counts.
  Epoch epochs = 0;
  Step batches = 0;
  double seconds = 0;
  FIELDS(batches_per_epoch, examples_per_epoch, epochs, batches, seconds);
};

using SubscriptionId = std::uint64_t;

/// A running quantity of the optimizer, as long as the parameters.
struct SavedSlot {
  std::string name;
  Block values;
  FIELDS(name, values);
};

/// What a subscription wants to see of the trainer's floats.
enum class Shows : std::uint8_t {
  nothing,
  parameters,
  optimizer, ///< the parameters and the optimizer's slots
  gradients, ///< the parameters and the gradient of the last batch
  update,    ///< all three: what makes up the next parameters
  step,      ///< the parameters, the gradient, and what the last update has made of them; while
             ///< somebody wants it each update writes to other memory than it reads
};

/// Something an extension subscribed to has happened.
struct LoopEvent {
  SubscriptionId subscription = 0;
  WorkerId worker = 0;
  Callback callback = Callback::before_training;
  Position position;       ///< after what happened
  Step epoch_batches = 0;  ///< done of the running epoch; 0 between two
  std::uint64_t times = 1; ///< how many times of the schedule fell between its last look and now
  std::vector<std::string> arguments; ///< of the condition that was true
  bool started = false;               ///< false before the first batch of this run
  bool done = false;                  ///< true once training has ended
  double loss = 0;                    ///< of the last batch that had one, before its update
  double learning_rate = 0;           ///< of the next update
  Totals totals;
  /// What totals.loss is a sum over: rows or numbers of the targets that are not masked. Beside the
  /// totals, so that saved runs without it can be read.
  double counted = 0;
  /// totals.loss and totals.batch_loss before anything of them is rounded away: means come from
  /// these, so that one huge loss does not swallow all that follow. Beside the totals, too.
  ExactSum loss_sum, batch_loss_sum;
  ExpectedLength extent;
  std::uint64_t lost = 0; ///< copies this observer missed since the last one that reached it
  std::string reason;     ///< why training ended or failed; at the last callbacks
  Snapshot parameters;    ///< where the subscription asked for them; else empty
  std::vector<SavedSlot> optimizer_slots; ///< the same
  Step optimizer_steps = 0;               ///< that made these
  /// The same: of the last update, after clipping; at before_update of the next, before it.
  Block gradient;
  /// The parameters before the last update and right after it, before gates changed them; the same.
  Block updated_from, updated_to;
  FIELDS(subscription, worker, callback, position, epoch_batches, times, arguments, started, done,
         loss, learning_rate, totals, counted, loss_sum, batch_loss_sum, extent, lost, reason,
         parameters, optimizer_slots, optimizer_steps, gradient, updated_from, updated_to);
};

/// The same, of a gate: training waits for the answer.
struct AskGate {
  LoopEvent event;
  std::map<std::string, double> settings; ///< the optimizer's, of the next update, by name
  FIELDS(event, settings);
};

/// What a gate wants done before the next step. Everything empty: go on.
struct GateAnswer {
  Records records;     ///< for the current row of the log; other gates' conditions see them
  bool finish = false; ///< end training after this callback
  std::string reason;  ///< of `finish`, for people
  Block parameters;    ///< replaces the trainer's parameters where not empty
  std::vector<SavedSlot> optimizer_slots; ///< replace the optimizer's where not empty
  Step optimizer_steps = 0; ///< that made these, from which the optimizer then counts on
  std::map<std::string, double> settings;  ///< by name, as in Set
  std::map<std::string, double> timelines; ///< sets user-registered timelines
  Block gradient; ///< at before_update: replaces the gradient, before clipping, where not empty
  std::vector<std::string> further_reasons; ///< of `finish`, behind `reason`
  bool close_epoch = false; ///< the running epoch is over, however many batches it has left:
                            ///< after_epoch comes next, before the end where training is to end
  FIELDS(records, finish, reason, parameters, optimizer_slots, optimizer_steps, settings, timelines,
         gradient, further_reasons, close_epoch);
};

/// Gets copies. It can neither slow nor stop a step: where it lags by more than its window, copies
/// are lost, counted.
using Observer = caf::typed_actor<caf::reacts_to<LoopEvent>>;

/// Is awaited.
using Gate = caf::typed_actor<caf::replies_to<AskGate>::with<GateAnswer>>;

} // namespace troupe
