#pragma once

#include "actors/loop/extension_calls.hpp"

#include <functional>
#include <map>
#include <string>
#include <vector>

namespace troupe {

/// The extensions of a trainer: subscribes them, calls them, and does to the run what their
/// answers request and what the loss of one demands.
class TrainerExtensions {
public:
  /// How training continues after an extension; set once for a trainer.
  struct Continuation {
    std::function<void()> now;  ///< an awaited gate has answered, or is awaited no more
    std::function<void()> soon; ///< something may have changed that training was held for
  };

  /// @param training outlives this object and the actor
  void begin(TrainerActor::pointer self, Training& training, const TrainerLog& log,
             Continuation continuation);

  /// @param request Subscribe or SubscribeGate
  template <class Request>
  caf::result<Subscribed> subscribe(const Request& request);
  caf::result<Unsubscribed> unsubscribe(SubscriptionId id);
  void actor_ended(const caf::down_msg& down);
  /// An observer answered a copy that needed no answer with an error. @returns whether it was one
  bool actor_failed(const caf::strong_actor_ptr& sender, const caf::error& error);
  /// An extension that acts for all workers ends all of them by this actor.
  void end_together(const RunStopper& stopper) { stopper_ = stopper; }

  /// @returns a sentence if a required extension ended before the run began; forgets all that did
  std::string take_missing();
  /// Calls the extensions of the running phase. @returns false while a gate is awaited
  bool call();

  const AwaitedGate& awaited() const { return calls_.awaited(); }
  void stop_waiting() { calls_.stop_waiting(); }
  void check_deadline() { calls_.check_deadline(); }

private:
  void answered(const Subscription& gate, GateAnswer& answer);
  /// @param late whether it missed a deadline rather than ended or failed
  void lose(const Subscription& subscription, bool late, const std::string& what);
  /// Says so once for each observer: an observer cannot end training.
  void report_failure(Subscription& observer, const caf::error& error);
  /// An extension requests the end: of this worker or, if it acts for all workers, of all.
  void finish(const Subscription& subscription, const std::vector<std::string>& reasons);

  TrainerActor::pointer self_ = nullptr;
  Training* training_ = nullptr;
  TrainerLog log_;
  Continuation continuation_;
  ExtensionCalls calls_;
  RunStopper stopper_; ///< stops all workers; null: there is one worker
  /// Required extensions that ended before Start: name -> sentence.
  std::map<std::string, std::string> missing_;
};

} // namespace troupe
