#pragma once

#include "actors/loop/subscriptions.hpp"
#include "messages/loop/run_state.hpp"

#include <memory>
#include <optional>
#include <vector>

namespace troupe {

/// Iterates over the subscriptions to one callback: those with a condition that fires, in order,
/// each once for every condition that fires.
///
/// Subscriptions may be added and may end during the iteration; none may be removed.
class CallbackCursor {
public:
  struct Call {
    std::shared_ptr<Subscription> subscription;
    Firing firing;
  };

  void begin(Callback callback);

  /// @param all the trainer's subscriptions, in order
  /// @param main whether this worker is the main one, the only one that `main_only` subscriptions
  /// apply to
  /// @returns the next call; nothing if all were called.
  /// @throws std::runtime_error with a sentence if a user's predicate fails; the next call is then
  /// of a later subscription.
  std::optional<Call> next(const std::vector<std::shared_ptr<Subscription>>& all,
                           const RunState& run, bool main);

  /// A subscription was added at this index.
  void added(std::size_t place);

private:
  Callback callback_ = Callback::before_training;
  std::size_t next_ = 0;        ///< index of the next subscription
  std::vector<Firing> firings_; ///< of the previous subscription
  std::size_t next_firing_ = 0;
};

} // namespace troupe
