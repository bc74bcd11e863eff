// The trainer's work; trainer.cpp only wires it to messages.
#pragma once

#include "actors/loop/subscriptions.hpp"
#include "actors/loop/trainer_options.hpp"
#include "messages/log/log.hpp"
#include "messages/loop/batches_ahead.hpp"
#include "messages/loop/run_state.hpp"
#include "messages/wire/type_ids.hpp"
#include "model/training/learner.hpp"

#include <caf/typed_event_based_actor.hpp>

#include <optional>

namespace troupe {

/// What the trainer hears besides its public interface: its own messages.
using TrainerActor
  = Trainer::extend<caf::reacts_to<ContinueTraining>, caf::reacts_to<CheckDeadlines>>;

class TrainerState {
public:
  static constexpr const char* name = "trainer";
  using Self = TrainerActor::stateful_pointer<TrainerState>;

  void begin(Self self, std::shared_ptr<Learner> learner, Logger logger, TrainerOptions options);

  // -- messages ----------------------------------------------------------------------------

  caf::typed_response_promise<Finished> start();
  /// @param request Subscribe or SubscribeGate
  template <class Request>
  caf::result<Subscribed> subscribe(const Request& request);
  caf::result<Unsubscribed> unsubscribe(SubscriptionId id);
  void stop(const Stop& stop);
  void pause();
  void resume();
  void advance(Step batches);
  caf::typed_response_promise<Quiesced> quiesce(Step batches);
  void leave_quiescence();
  void end_together(const RunStopper& stopper);
  caf::result<SetDone> set(const std::map<std::string, double>& settings);
  caf::result<SetDone> register_timeline(const std::string& name);
  void be_main(bool main);
  Status status() const;
  SavedTrainer save(const Save& save) const;
  caf::result<Restored> restore(const SavedTrainer& saved);
  void extension_ended(const caf::down_msg& down);
  void leave_unfinished(const std::string& why); ///< answers whoever waits: the actor ends

  /// Trains until something has to be waited for, a message has come, or the slice is over.
  void train_slice();
  void check_deadlines();

private:
  struct Awaited {
    std::shared_ptr<Subscription> gate; ///< null: none
    double since = 0;
    std::uint64_t ticket = 0; ///< tells the answer that is awaited from late ones
    bool said = false;        ///< people know that training waits
  };
  static constexpr double check_deadlines_seconds = 1; ///< from one look to the next, at most
  /// Whether check_deadlines minds the gate's deadline. A timer of its own for each question makes
  /// up nearly half of the whole call.
  static bool is_looked_after(const Subscription& gate) {
    return gate.deadline > check_deadlines_seconds;
  }

  double now() const; ///< seconds on the actor system's clock
  void update_seconds();
  void update_seconds_while_running();
  void go_on(); ///< sends itself the next slice

  // -- callbacks -----------------------------------------------------------------------------

  /// Serves the subscriptions to the running step; false while a gate is awaited.
  bool serve();
  LoopEvent event(const Subscription& subscription, const Firing& firing);
  void notify(Subscription& subscription, const Firing& firing);
  void ask(const std::shared_ptr<Subscription>& subscription, const Firing& firing);
  void answered(std::uint64_t ticket, GateAnswer& answer);
  void unanswered(std::uint64_t ticket, const caf::error& error);
  void stop_waiting();
  /// @param late it has not ended or failed, but missed a deadline
  void lose(Subscription& subscription, bool late, const std::string& what);

  // -- batches -------------------------------------------------------------------------------

  bool train_batch(); ///< false while the step's duration runs, or the batch is not prepared
  /// @param since seconds on the clock at which the time of training that is not counted began
  void update(double since);
  void write_statistics();      ///< of problem and model, into the batch's row
  bool read_batch();            ///< false where the loader has not prepared it yet
  void ask_loader(Step wanted); ///< for that batch and those behind it
  void prepared(BatchPrepared& prepared);
  void unprepared(const caf::error& error);
  void note_curriculum(); ///< how long the sequences of the finished epoch were
  bool holds() const;     ///< paused at the running step, or to stand there
  bool pauses() const;    ///< people have paused it at the running step
  void go_on_unless_busy();
  void say_quiesced(); ///< to whoever waits for it
  /// An extension wants training to end, here or, where it acts for all workers, everywhere.
  void finish(const Subscription& subscription, const std::vector<std::string>& reasons);
  bool stands_behind(LoopPhase step) const; ///< for all workers to end together
  void end();
  void fail_run(const std::string& sentence);
  /// What people have to know of a state whose epochs or settings were others than those here.
  void say_what_changed(const SavedTrainer& saved, const std::map<std::string, double>& changed);
  ExpectedLength expected_length() const;
  void write(const Records& records);
  void check_deadlines_later();
  void look_at_gate();
  void warn_of_lost_conditions();                   ///< those that lie behind the position
  Subscribed subscribed(const Subscription& added); ///< and tells people of such conditions
  void write_status();
  void say(Level level, const std::string& text);

  Self self_ = nullptr;
  std::shared_ptr<Learner> learner_;
  Logger logger_;
  TrainerOptions options_;
  std::map<std::string, double> configured_; ///< settings that the optimizer was made with
  RunState run_;
  Subscriptions subscriptions_;
  std::map<std::string, std::string>
    missing_; ///< required extensions that ended before Start: name -> sentence
  caf::typed_response_promise<Finished> finished_;

  double started_at_ = 0, seconds_before_ = 0;
  double clock_ = 0; ///< at the end of the last batch
  std::size_t next_subscription_ = 0;
  std::vector<Firing> firings_;
  std::size_t next_firing_ = 0;
  bool serving_ = false;
  Awaited awaited_;
  std::uint64_t tickets_ = 0;

  double step_began_ = 0;
  double reading_seconds_ = 0, gradient_seconds_ = 0; ///< of the running batch
  Block updated_from_, updated_to_; ///< the last update's, where a subscription shows it
  bool main_ = true;                ///< of all workers
  bool in_batch_ = false, continuing_ = false, looking_ = false, paused_ = false;
  Step allowance_ = 0; ///< batches to train although paused
  bool stands_still_ = false;
  Step steps_ = 0; ///< batches to train until it stands still
  caf::typed_response_promise<Quiesced> quiesced_;
  /// Which came in a quiescence before the first Start.
  std::optional<Stop> stop_at_start_;
  RunStopper stopper_;      ///< of all workers; null: there is one
  bool awaits_end_ = false; ///< which an extension wants for all workers
  bool served_ = false;     ///< the running step's callback is over, and it stands behind it

  BatchesAhead batches_ahead_;
  bool waits_for_loader_ = false;
  bool said_of_loader_ = false; ///< people know that training waits for this batch
};

} // namespace troupe
