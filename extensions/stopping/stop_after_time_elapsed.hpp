// Ends training, in good order, when its time is used up.
#pragma once

#include "messages/loop/extension.hpp"
#include "messages/timing/timing.hpp"

#include <chrono>

namespace troupe {

struct StopAfterTimeElapsedOptions {
  std::chrono::duration<double> total_duration{
    0}; ///< >= 0; training stops once elapsed >= total_duration
  /// What the clock starts with: "training" (time used before a resumption counts) or
  /// "construction" of this extension.
  std::string start = "training";
  FIELDS(total_duration, start);
};

/// before_training and on_resumption, to start the clock. Further triggers are moments at which it
/// looks at the clock itself; without any, the timer's alarm stops training after the batch in
/// which the time is over.
Conditions stop_after_time_elapsed_conditions();

/// @throws std::invalid_argument for invalid options.
void check(const StopAfterTimeElapsedOptions& options);

/// A gate. It sends Stop to the trainer when the timer rings; after_training and the rest of the
/// end run as always. It and the trainer hold handles to each other: it ends with the trainer, or
/// when it is sent an exit.
///
/// A Stop ends one worker. Where the limit is that of the main worker, who ends the run for all,
/// and whom another worker may follow in the middle of training, give no timer, and subscribe it
/// `with_every_batch`: then the gate's answers ask for the end, of whoever is main. A run that
/// people have paused ends after its next batch.
///
/// Where it is subscribed to a training that runs already, before_training is over: its alarm is
/// set when it is asked first, with `with_every_batch` after the next batch.
/// @param timer null: it only looks at the clock itself, whenever it is asked
/// @throws std::invalid_argument for a negative duration or an unknown start.
Extension spawn_stop_after_time_elapsed(caf::actor_system& system,
                                        StopAfterTimeElapsedOptions options, Trainer trainer,
                                        Timer timer);

} // namespace troupe
