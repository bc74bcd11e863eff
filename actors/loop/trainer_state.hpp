// State of the trainer actor; trainer.cpp maps messages to it.
#pragma once

#include "actors/loop/batch_step.hpp"
#include "actors/loop/trainer_extensions.hpp"
#include "actors/loop/trainer_log.hpp"
#include "actors/loop/training.hpp"

#include <caf/typed_event_based_actor.hpp>

#include <optional>

namespace troupe {

/// Executes the phases of the loop one after another until it has to wait.
class TrainerState {
public:
  static constexpr const char* name = "trainer";
  using Self = TrainerActor::stateful_pointer<TrainerState>;

  void begin(Self self, std::shared_ptr<Learner> learner, const Logger& logger,
             const TrainerOptions& options);

  // -- messages ----------------------------------------------------------------------------

  caf::typed_response_promise<Finished> start();
  void stop(const Stop& stop);
  /// People or the quiescence change what holds training.
  template <class Change>
  void steer(Change change) {
    change(training.steering);
    go_on_unless_busy();
  }
  caf::typed_response_promise<Quiesced> quiesce(Step batches);
  void be_main(bool main);
  Status status() const;
  caf::result<SavedTrainer> save(const Save& save);
  caf::result<Restored> restore(const SavedTrainer& saved);
  void leave_unfinished(const std::string& why); ///< answers the open requests; the actor ends

  /// Trains until it has to wait, a message has arrived, or the slice is over.
  void train_slice();
  void check_deadlines();

  Training training; ///< the part without messages
  TrainerExtensions extensions;

private:
  bool train_batch(); ///< false while it waits for the simulated duration or the loader
  void update();
  void end();
  void say_quiesced(); ///< answers the open request to quiesce

  void go_on(); ///< sends itself the next slice
  void go_on_unless_busy();
  void check_deadlines_later();
  void write_times(); ///< into the status, in the middle of a long epoch

  Self self_ = nullptr;
  TrainerLog log_;
  BatchStep batch_;
  bool continuing_ = false, looking_ = false; ///< a message to itself is in flight
  caf::typed_response_promise<Finished> finished_;
  caf::typed_response_promise<Quiesced> quiesced_;
  std::optional<Stop> stop_at_start_; ///< received in a quiescence before the first Start
};

} // namespace troupe
