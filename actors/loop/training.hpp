// What a trainer trains and how far it is, without any actors.
#pragma once

#include "actors/loop/subscriptions.hpp"
#include "actors/loop/time_status.hpp"
#include "actors/loop/trainer_options.hpp"
#include "messages/loop/phase_progress.hpp"
#include "messages/loop/run_clock.hpp"
#include "messages/loop/run_state.hpp"
#include "messages/loop/steering.hpp"
#include "messages/loop/step_spans.hpp"
#include "model/training/learner.hpp"

#include <map>
#include <memory>
#include <string>

namespace troupe {

struct Training {
  std::shared_ptr<Learner> learner;
  TrainerOptions options;
  std::map<std::string, double> configured; ///< settings with which the optimizer was created
  RunState run;
  PhaseProgress progress; ///< of the phase of `run`
  Steering steering;
  Subscriptions subscriptions;
  RunClock clock;
  TimeStatus times;
  StepSpans spans;                ///< filled while a subscription shows them
  bool main = true;               ///< whether this is the main worker
  Block updated_from, updated_to; ///< of the last update, if a subscription shows it

  /// "worker 3"
  std::string worker() const { return "worker " + std::to_string(options.worker); }
};

ExpectedLength expected_length(const Training& training);

/// Counts the results that the learner has for steps handed over before. @throws as settle() does
void count_late_results(Training& training);
/// Waits for all of them, so that what follows sees the batches that were trained.
/// @throws std::runtime_error where one of those steps failed; then the position is that before it
void settle(Training& training);

/// The event for one call of an extension, with what it may see.
LoopEvent event_for(const Subscription& subscription, const Firing& firing,
                    const Training& training);

/// Applies a gate's answer to settings, parameters, the gradient, the optimizer's slots and
/// timelines; moves the blocks out of the answer.
/// @throws std::invalid_argument if it cannot be applied.
void carry_out(GateAnswer& answer, Training& training);

/// @throws std::invalid_argument for a name that no timeline may have.
void register_timeline(const std::string& name, Position& position);

/// @param waiting_for the gate that is awaited, or ""
Status status_of(const Training& training, const std::string& phase,
                 const std::string& waiting_for);
/// The same for the log.
Records status_records(Training& training);
Finished finished_of(const Training& training);

} // namespace troupe
