// The training loop: how it is controlled, and how extensions subscribe to it. Their events and
// answers: messages/loop/loop_event.hpp.
//
//   anyone                    trainer                     extension
//     | ---- Subscribe --------> |                            |
//     | <--- Subscribed -------- |                            |
//     | ---- Start ------------> |                            |
//     |                          | ---- LoopEvent ----------> |   an observer: a copy, one way
//     |                          | ---- AskGate ------------> |   a gate: awaited, with a deadline
//     |                          | <--- GateAnswer ---------- |   records, parameters, finish, ...
//     | - Stop, Pause, Resume -> |                            |
//     | ---- GetStatus, Set ---> |                            |
//     | <--- Finished ---------- |   the answer to Start      |
#pragma once

#include "base/text/enum_names.hpp"
#include "messages/loop/loop_event.hpp"
#include "messages/schedule/condition.hpp"
#include "model/tensor/layout.hpp"

#include <map>
#include <string>
#include <vector>

namespace troupe {

/// What happens to training when a gate misses its deadline or an extension's actor ends.
enum class OnLoss : std::uint8_t {
  fail,    ///< training fails with a sentence that names the extension
  finish,  ///< training ends in good order
  proceed, ///< training continues without it, and the log says so
};
/// How configurations write the values.
constexpr auto enum_names(OnLoss) { return name_list("fail", "finish", "proceed"); }

/// From now on, send `observer` a copy of each event for which a condition is true.
struct Subscribe {
  std::string name;             ///< shown in messages; unique among the trainer's subscriptions
  Conditions conditions;        ///< when; each that is true makes a copy, unless they are coalesced
  Observer observer;            ///< must not be null
  Shows shows = Shows::nothing; ///< what events carry
  std::uint32_t window = 16;    ///< most copies in flight, >= 1; further copies are lost
  OnLoss on_end = OnLoss::proceed; ///< when its actor ends
  bool main_only = false; ///< only active while this worker is the main one; an end that it wants
                          ///< is an end of all workers
  TROUPE_FIELDS(name, conditions, observer, shows, window, on_end, main_only);
};

/// From now on, ask `gate` at each event for which a condition is true, in the order of
/// subscription, with the `last` ones after all others.
struct SubscribeGate {
  std::string name;                  ///< as in Subscribe
  Conditions conditions;             ///< when it is asked
  Gate gate;                         ///< must not be null
  Shows shows = Shows::nothing;      ///< what events carry
  double deadline = 60;              ///< seconds for each answer, > 0
  OnLoss on_deadline = OnLoss::fail; ///< when an answer does not come in time
  OnLoss on_end = OnLoss::fail;      ///< when its actor ends
  bool main_only = false;            ///< as in Subscribe
  bool last = false;                 ///< asked after all others, like a checkpoint
  TROUPE_FIELDS(name, conditions, gate, shows, deadline, on_deadline, on_end, main_only, last);
};

/// The subscription has begun. An error instead where its name is taken, or its options cannot be.
struct Subscribed {
  SubscriptionId id = 0;         ///< for Unsubscribe
  std::vector<std::string> lost; ///< sentences about conditions that can no longer become true in
                                 ///< this run
  TROUPE_FIELDS(id, lost);
};

/// Ends a subscription. An error is the answer where there is none with this number.
struct Unsubscribe {
  SubscriptionId id = 0; ///< from Subscribed
  TROUPE_FIELDS(id);
};

/// No further event comes.
struct Unsubscribed {
  std::uint64_t lost = 0; ///< copies it missed in total
  TROUPE_FIELDS(lost);
};

/// Begins training, or continues where the last run ended.
struct Start {
  TROUPE_FIELDS();
};

/// How a run ended.
enum class Outcome : std::uint8_t {
  finished,    ///< an extension asked to finish, or the data ended
  interrupted, ///< stopped from outside
  failed,      ///< see the error
};

/// "finished", "interrupted" or "failed"
std::string to_string(Outcome outcome);

/// What one extension received in a run, over all of its subscriptions.
struct SubscriptionReport {
  std::string name;          ///< of the subscription
  std::uint64_t sent = 0;    ///< copies sent to an observer, or questions to a gate
  std::uint64_t lost = 0;    ///< copies that its window had no room for; 0 for a gate
  double waited_seconds = 0; ///< for a gate
  TROUPE_FIELDS(name, sent, lost, waited_seconds);
};

/// How the run ended; the answer to Start.
struct Finished {
  WorkerId worker = 0;                 ///< whose trainer it is
  bool main = true;                    ///< whether it is the main worker
  Outcome outcome = Outcome::finished; ///< whether it ended by itself
  std::vector<std::string> causes;     ///< in order; the first is the primary one
  std::string error;                   ///< if it failed: the sentence
  Position position;                   ///< after the last batch that was trained
  Totals totals;       ///< since training started, earlier parts of a resumed run included
  Snapshot parameters; ///< the last version
  std::vector<SubscriptionReport> subscriptions; ///< one for each name
  TROUPE_FIELDS(worker, main, outcome, causes, error, position, totals, parameters, subscriptions);
};

/// How soon training ends.
enum class StopLevel : std::uint8_t {
  after_epoch, ///< the running epoch is finished first
  after_batch, ///< the running batch is finished first
  now,         ///< without further callbacks
};

/// Ends training from outside.
struct Stop {
  StopLevel level = StopLevel::after_batch; ///< how soon
  std::string reason;                       ///< a cause of the end, as messages and the log show it
  bool interrupt = false; ///< a person or the system wants it to end early: on_interrupt fires
  Epoch epochs = 0;       ///< after_epoch: not before this many are done
  /// An extension ends all workers after the batch (StopAll without interrupt): the run counts as
  /// ended by itself.
  bool of_run = false;
  TROUPE_FIELDS(level, reason, interrupt, epochs, of_run);
};

/// Holds training after the running batch, until Resume. Advance trains the given number of batches
/// and holds again.
struct Pause {
  TROUPE_FIELDS();
};
/// Ends a Pause.
struct Resume {
  TROUPE_FIELDS();
};
/// Trains some batches, then pauses.
struct Advance {
  Step batches = 1; ///< added to what is left of an earlier one
  TROUPE_FIELDS(batches);
};

/// Stops training between two batches after `batches` more, whether it is paused or not, until
/// LeaveQuiescence. A new request replaces the last one.
struct Quiesce {
  Step batches = 0; ///< to train before the stop; 0: the running one is the last
  TROUPE_FIELDS(batches);
};
/// The trainer has stopped there, or it does not train. It has nothing in flight.
struct Quiesced {
  Position position;     ///< after the last batch
  bool training = false; ///< it would continue
  TROUPE_FIELDS(position, training);
};
/// Ends a Quiesce: training continues, unless it is paused besides.
struct LeaveQuiescence {
  TROUPE_FIELDS();
};

/// Ends training of all workers of a run, on all nodes, in good order.
struct StopAll {
  std::string reason;     ///< a cause of the end, for each worker
  bool interrupt = false; ///< as in Stop: it can be resumed from what is saved
  TROUPE_FIELDS(reason, interrupt);
};
/// What each trainer receives for it.
inline Stop stop_of(const StopAll& all) {
  return {StopLevel::after_batch, all.reason, all.interrupt, 0, !all.interrupt};
}
/// Ends all workers: the quiescence of a process, or a worker's remote holder.
using RunStopper = caf::typed_actor<caf::reacts_to<StopAll>>;

/// The trainer is one of several workers. If an extension that acts for all of them (`main_only`)
/// wants training to end, the trainer holds after the running callback until it is stopped together
/// with the others.
struct EndTogether {
  RunStopper stopper; ///< gets StopAll where an extension wants the end
  TROUPE_FIELDS(stopper);
};

/// Changes settings of the running trainer's optimizer, all or none: "learning_rate", "momentum",
/// "beta1", ...; see Optimizer::settings.
struct Set {
  std::map<std::string, double> settings; ///< names and new values
  TROUPE_FIELDS(settings);
};
/// The settings, or the timeline, hold from the next batch on.
struct SetDone {
  TROUPE_FIELDS();
};

/// Registers a timeline that conditions may use from then on; gates set its time
/// (GateAnswer::timelines).
struct RegisterTimeline {
  std::string name; ///< one that a schedule can name, and none of the loop's own timelines
  TROUPE_FIELDS(name);
};

/// One of several workers is main: it validates, saves and prints for all. That is worker 0, until
/// a cluster elects another.
struct BeMain {
  bool main = true; ///< whether it is main from now on
  TROUPE_FIELDS(main);
};

/// Asks how training stands. It is answered between two batches, also while it is paused.
struct GetStatus {
  TROUPE_FIELDS();
};

/// How training stands.
struct Status {
  WorkerId worker = 0;     ///< whose trainer it is
  std::string phase;       ///< "idle", a callback's name, "batch", "paused", "ended", "failed"
  std::string waiting_for; ///< the gate that is awaited, or ""
  Position position;       ///< after the last batch
  Totals totals;           ///< since training started
  ExpectedLength expected_length;                ///< for a display of progress
  double loss = 0;                               ///< of the last batch that had one
  double learning_rate = 0;                      ///< of the next update
  std::vector<SubscriptionReport> subscriptions; ///< of those that exist
  bool interrupted = false;                      ///< ended from outside: no further batch begins
  TROUPE_FIELDS(worker, phase, waiting_for, position, totals, expected_length, loss, learning_rate,
                subscriptions, interrupted);
};

/// Asks for all that a trainer needs to continue with identical bits.
struct Save {
  bool end = false; ///< a trainer that has finished stays finished after a resume
  TROUPE_FIELDS(end);
};

/// How long an epoch is for one worker. A saved cursor counts such batches, so that it means other
/// examples if an epoch has become longer or shorter.
struct EpochSize {
  Step batches = 0;           ///< of one epoch
  std::uint64_t examples = 0; ///< of one epoch
  TROUPE_FIELDS(batches, examples);
};

/// All that a trainer needs to continue with identical bits.
struct SavedTrainer {
  Layout layout;                          ///< of the parameters and of each slot
  Snapshot parameters;                    ///< as long as `layout`
  Step optimizer_steps = 0;               ///< updates that the optimizer has made
  std::vector<SavedSlot> optimizer_slots; ///< each as long as the parameters
  double learning_rate = 0;               ///< at that moment
  Step cursor = 0;                        ///< batches taken from the stream
  bool epoch_started = false;             ///< inside an epoch
  EpochSize epoch_size;                   ///< of all epochs
  std::string epoch_ends;                 ///< as EpochEnds::text writes them
  Position position;                      ///< after the last batch
  Totals totals;                          ///< since training started
  double loss = 0;                        ///< of the last batch
  Records row;                            ///< the current row, for conditions that look at it
  std::vector<std::string> causes;        ///< why training is about to end, if that was requested
  std::map<std::string, double> settings; ///< the optimizer's, by name; as they were at that moment
  /// The settings that the optimizer was made with. They stay what they are while schedules and
  /// people change the settings, so that a change of the configuration can be told from theirs.
  std::map<std::string, double> configured;
  TROUPE_FIELDS(layout, parameters, optimizer_steps, optimizer_slots, learning_rate, cursor,
                epoch_started, epoch_size, epoch_ends, position, totals, loss, row, causes,
                settings, configured);
};

/// Continues from a saved state at the next Start, or at before_training; refused while training.
struct Restore {
  SavedTrainer state; ///< its layout has to be the model's
  TROUPE_FIELDS(state);
};
/// The state is in place.
struct Restored {
  TROUPE_FIELDS();
};

/// The trainer to itself: run the next slice of training; check the deadlines of gates.
struct ContinueTraining {
  TROUPE_FIELDS();
};
/// The trainer to itself: a gate's deadline may have passed.
struct CheckDeadlines {
  TROUPE_FIELDS();
};

/// Trains one worker's replica of the model (actors/loop/trainer.hpp).
using Trainer = caf::typed_actor<
  caf::replies_to<Start>::with<Finished>, caf::replies_to<Subscribe>::with<Subscribed>,
  caf::replies_to<SubscribeGate>::with<Subscribed>,
  caf::replies_to<Unsubscribe>::with<Unsubscribed>, caf::reacts_to<Stop>, caf::reacts_to<Pause>,
  caf::reacts_to<Resume>, caf::reacts_to<Advance>, caf::replies_to<Quiesce>::with<Quiesced>,
  caf::reacts_to<LeaveQuiescence>, caf::reacts_to<EndTogether>, caf::replies_to<Set>::with<SetDone>,
  caf::replies_to<RegisterTimeline>::with<SetDone>, caf::reacts_to<BeMain>,
  caf::replies_to<GetStatus>::with<Status>, caf::replies_to<Save>::with<SavedTrainer>,
  caf::replies_to<Restore>::with<Restored>>;

} // namespace troupe
