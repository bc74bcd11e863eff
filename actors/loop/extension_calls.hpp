#pragma once

#include "actors/loop/awaited_gate.hpp"
#include "actors/loop/callback_cursor.hpp"
#include "actors/loop/trainer_log.hpp"
#include "actors/loop/training.hpp"

#include <functional>
#include <memory>
#include <string>

namespace troupe {

/// Calls a trainer's extensions at a callback: notifies observers with copies, asks gates one after
/// the other and waits for each.
class ExtensionCalls {
public:
  /// What comes of a question to a gate; made once for a trainer.
  struct Outcomes {
    std::function<void(const Subscription& gate, GateAnswer& answer)> answered;
    /// @param late it has not ended or failed, but missed its deadline
    std::function<void(const Subscription& gate, bool late, const std::string& what)> lost;
    std::function<void()> go_on; ///< after either, and where it is waited for no longer
  };

  /// @param training outlives this, and the actor
  void begin(TrainerActor::pointer self, Training& training, TrainerLog log, Outcomes outcomes);

  void begin_callback(Callback callback) { cursor_.begin(callback); }
  /// Calls whose turn it is. @returns false while a gate is awaited, true when all were called.
  /// @throws std::runtime_error with a sentence where a condition fails; serve again, or leave it.
  bool serve();
  /// A subscription was added at this place while a callback is served.
  void added(std::size_t place) { cursor_.added(place); }

  const AwaitedGate& awaited() const { return awaited_; }
  void stop_waiting();
  /// Tells people for whom training waits, and gives up a gate whose deadline has passed.
  void check_deadline();

private:
  void notify(Subscription& subscription, const Firing& firing);
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
