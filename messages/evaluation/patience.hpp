// How long training may continue without improvement.
#pragma once

#include "messages/schedule/position.hpp"

#include <cstdint>
#include <string>

namespace troupe {

/// Counts down from the last best, by the position of training, so the result does not depend on
/// how often it is asked. It does not count before the first best.
class Patience {
public:
  /// What a saved run keeps: where the last best was.
  struct State {
    bool begun = false; ///< whether there has been a best
    Epoch epochs = 0;
    Step batches = 0;
    TROUPE_FIELDS(begun, epochs, batches);
  };

  Patience() = default;
  /// Give one of the two; 0 means not given.
  /// @throws std::invalid_argument if both or neither are given.
  Patience(Epoch epochs, Step batches);

  /// Training has reached `now`, with a new best or without.
  void update(const Position& now, bool best);

  bool begun() const { return state_.begun; }
  /// What is left at `now`; all of it before the first best.
  std::int64_t left(const Position& now) const;
  bool over(const Position& now) const { return begun() && left(now) <= 0; }

  std::string unit() const { return epochs_ != 0 ? "epochs" : "batches"; }
  /// "3 epochs", "1 batch".
  std::string text() const;

  const State& state() const { return state_; }
  void restore(const State& state) { state_ = state; }

private:
  Epoch epochs_ = 0;
  Step batches_ = 0;
  State state_;
};

} // namespace troupe
