#pragma once

#include "actors/loop/awaited_gate.hpp"
#include "actors/loop/callback_cursor.hpp"
#include "actors/loop/trainer_log.hpp"
#include "actors/loop/training.hpp"

#include <functional>
#include <memory>
#include <string>

namespace troupe {

/// Calls a trainer's extensions at a callback: sends copies to observers, and asks gates one after
/// another, waiting for each.
class ExtensionCalls {
public:
  /// Callbacks for the outcome of a call; set once for a trainer.
  struct Outcomes {
    std::function<void(const Subscription& gate, GateAnswer& answer)> answered;
    /// @param late whether it missed its deadline rather than ended or failed
    std::function<void(const Subscription& gate, bool late, const std::string& what)> lost;
    std::function<void()> go_on; ///< after either, and when the wait for it is cancelled
    /// An observer answered an event with an error.
    std::function<void(Subscription& observer, const caf::error& error)> failed;
  };

  /// @param training outlives this object and the actor
  void begin(TrainerActor::pointer self, Training& training, TrainerLog log, Outcomes outcomes);

  void begin_callback(Callback callback) { cursor_.begin(callback); }
  /// Calls the next extensions. @returns false while a gate is awaited, true when all were called.
  /// @throws std::runtime_error with a sentence if a condition fails; serve may be called again.
  bool serve();
  /// A subscription was added at this index while a callback is served.
  void added(std::size_t place) { cursor_.added(place); }

  const AwaitedGate& awaited() const { return awaited_; }
  void stop_waiting(std::vector<Span> spans = {});
  /// Reports what training waits for, and gives up a gate whose deadline has passed.
  void check_deadline();

private:
  void notify(Subscription& subscription, const Firing& firing);
  void confirm(SubscriptionId id, std::uint64_t number);
  void ask(const std::shared_ptr<Subscription>& subscription, const Firing& firing);
  void answered(std::uint64_t ticket, GateAnswer& answer);
  void unanswered(std::uint64_t ticket, const caf::error& error);
  std::string moment() const; ///< "after_batch of batch 12"

  TrainerActor::pointer self_ = nullptr;
  Training* training_ = nullptr;
  TrainerLog log_;
  Outcomes outcomes_;
  CallbackCursor cursor_;
  AwaitedGate awaited_;
};

} // namespace troupe
