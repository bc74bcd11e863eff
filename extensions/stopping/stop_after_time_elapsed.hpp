// Ends training when its time limit is reached.
#pragma once

#include "messages/loop/extension.hpp"
#include "messages/timing/timing.hpp"

#include <chrono>

namespace troupe {

struct StopAfterTimeElapsedOptions {
  std::chrono::duration<double> total_duration{
    0}; ///< >= 0; training stops once elapsed >= total_duration
  /// The start of the clock: "training" (time before a resumption counts) or "construction" of this
  /// extension.
  std::string start = "training";
  TROUPE_FIELDS(total_duration, start);
};

/// before_training and on_resumption, to start the clock. At further triggers it checks the clock
/// itself; without any, the timer's alarm stops training after the batch in which the limit is
/// reached.
Conditions stop_after_time_elapsed_conditions();

/// @throws std::invalid_argument for invalid options.
void check(const StopAfterTimeElapsedOptions& options);

/// A gate. It sends Stop to the trainer when the timer's alarm arrives; the end of training runs as
/// usual. It and the trainer hold handles to each other: it ends with the trainer, or when it
/// receives an exit message.
///
/// A Stop ends one worker. If the main worker's limit ends the run for all, and another worker may
/// become main during training, give no timer and subscribe it `with_every_batch`: then the gate's
/// answers end whichever worker is main. A paused run ends after its next batch.
///
/// If it is subscribed during training, before_training has passed: it sets its alarm at its first
/// event, which with `with_every_batch` is after the next batch.
/// @param timer null: it only checks the clock at its events
/// @throws std::invalid_argument for a negative duration or an unknown start.
Extension spawn_stop_after_time_elapsed(caf::actor_system& system,
                                        StopAfterTimeElapsedOptions options, Trainer trainer,
                                        Timer timer);

} // namespace troupe
