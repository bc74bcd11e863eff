// State of the trainer actor; trainer.cpp maps messages to it.
#pragma once

#include "actors/loop/batch_step.hpp"
#include "actors/loop/extension_calls.hpp"
#include "actors/loop/trainer_log.hpp"
#include "actors/loop/training.hpp"
#include "messages/loop/steering.hpp"

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
  /// @param request Subscribe or SubscribeGate
  template <class Request>
  caf::result<Subscribed> subscribe(const Request& request);
  caf::result<Unsubscribed> unsubscribe(SubscriptionId id);
  void stop(const Stop& stop);
  /// People or the quiescence change what holds training.
  template <class Change>
  void steer(Change change) {
    change(steering_);
    go_on_unless_busy();
  }
  caf::typed_response_promise<Quiesced> quiesce(Step batches);
  void end_together(const RunStopper& stopper) { stopper_ = stopper; }
  void be_main(bool main);
  Status status() const;
  caf::result<SavedTrainer> save(const Save& save);
  caf::result<Restored> restore(const SavedTrainer& saved);
  void extension_ended(const caf::down_msg& down);
  void leave_unfinished(const std::string& why); ///< answers the open requests; the actor ends

  /// Trains until it has to wait, a message has arrived, or the slice is over.
  void train_slice();
  void check_deadlines();

  Training training; ///< the part without messages

private:
  /// How far the running phase is.
  enum class Progress : std::uint8_t {
    ready,    ///< not begun
    in_batch, ///< waits for the batch's simulated duration or its loader
    serving,  ///< calls the extensions of the phase's callback
    served,   ///< the callback is over
  };

  // -- steps ---------------------------------------------------------------------------------

  bool train_batch(); ///< false while it waits for the simulated duration or the loader
  void update();
  bool serve(); ///< calls the extensions of the phase; false while a gate is awaited
  Hold hold() const { return steering_.hold(training.run.step, progress_ == Progress::served); }
  void go_on(); ///< sends itself the next slice
  void go_on_unless_busy();
  void check_deadlines_later();

  // -- effects of extensions on the run --------------------------------------------------------

  void answered(const Subscription& gate, GateAnswer& answer);
  /// @param late whether it missed a deadline rather than ended or failed
  void lose(const Subscription& subscription, bool late, const std::string& what);
  /// An extension requests the end: of this worker or, if it acts for all workers, of all.
  void finish(const Subscription& subscription, const std::vector<std::string>& reasons);
  void fail_run(const std::string& sentence);
  void settle_or_fail(); ///< counts batches that are still computed; fails the run where one failed
  void end();
  void say_quiesced(); ///< answers the open request to quiesce

  Self self_ = nullptr;
  TrainerLog log_;
  Steering steering_;
  ExtensionCalls calls_;
  BatchStep batch_;
  Progress progress_ = Progress::ready;
  bool continuing_ = false, looking_ = false; ///< a message to itself is in flight
  RunStopper stopper_;                        ///< stops all workers; null: there is one worker
  caf::typed_response_promise<Finished> finished_;
  caf::typed_response_promise<Quiesced> quiesced_;
  std::optional<Stop> stop_at_start_; ///< received in a quiescence before the first Start
  /// Required extensions that ended before Start: name -> sentence.
  std::map<std::string, std::string> missing_;
};

} // namespace troupe
