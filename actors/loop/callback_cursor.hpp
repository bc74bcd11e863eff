#pragma once

#include "actors/loop/subscriptions.hpp"
#include "messages/loop/run_state.hpp"

#include <memory>
#include <optional>
#include <vector>

namespace troupe {

/// Walks over the subscriptions to one callback: those with a condition that fires, in their order,
/// each as often as its conditions fire.
///
/// Subscriptions may be added and end meanwhile; none may be taken out.
class CallbackCursor {
public:
  struct Call {
    std::shared_ptr<Subscription> subscription;
    Firing firing;
  };

  void begin(Callback callback);

  /// @param all the trainer's subscriptions, in order
  /// @param main whether this worker is the main one, for which `main_only` subscriptions are
  /// @returns the next call; nothing where all have had theirs.
  /// @throws std::runtime_error with a sentence where a user's predicate fails; the next call is
  ///         then of a subscription behind that one.
  std::optional<Call> next(const std::vector<std::shared_ptr<Subscription>>& all,
                           const RunState& run, bool main);

  /// A subscription was added at this place.
  void added(std::size_t place);

private:
  Callback callback_ = Callback::before_training;
  std::size_t next_ = 0;        ///< place of the next subscription
  std::vector<Firing> firings_; ///< of the one before
  std::size_t next_firing_ = 0;
};

} // namespace troupe
