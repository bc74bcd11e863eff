// How long training may go on without anything better.
#pragma once

#include "messages/schedule/position.hpp"

#include <cstdint>
#include <string>

namespace troupe {

/// Counts down from the last best by the position of training, so that neither how often one asks
/// nor what lies between matters. It does not count before the first best.
class Patience {
public:
  /// What has to be remembered: where the last best was.
  struct State {
    bool begun = false; ///< whether there has been a best
    Epoch epochs = 0;
    Step batches = 0;
    FIELDS(begun, epochs, batches);
  };

  Patience() = default;
  /// Give one of the two; 0 is not given.
  /// @throws std::invalid_argument where both are given, or none.
  Patience(Epoch epochs, Step batches);

  /// Training has come to `now`, where it is at its best, or not.
  void look(const Position& now, bool best);

  bool begun() const { return state_.begun; }
  /// What is left at `now`; the whole patience before the first best.
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
