#pragma once

#include "messages/loop/run_state.hpp"
#include "messages/loop/steering.hpp"

#include <cstdint>

namespace troupe {

/// What a trainer does next.
enum class NextAction : std::uint8_t {
  hold,    ///< nothing: training is held
  advance, ///< enters the next phase
  train,   ///< trains on a batch: computes its gradient, and mostly makes its update
  update,  ///< makes the update that an extension had to see the gradient of
  call,    ///< calls the extensions of the phase's callback
};

/// How far the running phase of the loop is. Decides what the trainer does next; the trainer
/// carries it out and reports how far it came.
class PhaseProgress {
public:
  /// @param run is in a phase of the loop
  NextAction next(const RunState& run, const Steering& steering) const {
    if (stage_ != Stage::calling && steering.hold(run.step, stage_ == Stage::called) != Hold::none)
      return NextAction::hold;
    if (stage_ == Stage::called // it goes on, for itself or for others
        || (stage_ == Stage::ready && run.step == LoopPhase::before_batch && run.ends_now()))
      return NextAction::advance;
    switch (run.step) {
    case LoopPhase::batch: return NextAction::train;
    case LoopPhase::update: return NextAction::update;
    default: return NextAction::call;
    }
  }

  void begin_batch() { stage_ = Stage::in_batch; }
  void begin_calls() { stage_ = Stage::calling; }
  /// The batch, or the calls, are done. Also of a run that was abandoned anywhere.
  void end() { stage_ = Stage::ready; }
  /// The phase's action is done. If training is held behind its callback, until all workers end
  /// together, it stays in the phase. @returns whether it enters the next one
  bool leaves(const RunState& run, const Steering& steering) {
    if (!steering.holds_behind(run.step) || run.ends_now())
      return true;
    stage_ = Stage::called;
    return false;
  }
  /// The run fails: what it called is over. A batch that is in flight arrives nevertheless.
  void fail() {
    if (stage_ != Stage::in_batch)
      stage_ = Stage::ready;
  }

  bool in_batch() const { return stage_ == Stage::in_batch; }
  bool calling() const { return stage_ == Stage::calling; }
  /// Whether training is held here until people or all workers let it go on.
  bool held(const RunState& run, const Steering& steering) const {
    return (stage_ == Stage::ready || stage_ == Stage::called)
           && next(run, steering) == NextAction::hold;
  }
  /// Whether it waits behind a callback for the common end.
  bool waits_behind() const { return stage_ == Stage::called; }

private:
  enum class Stage : std::uint8_t {
    ready,    ///< the phase has not begun
    in_batch, ///< waits for the batch's simulated duration or its loader
    calling,  ///< calls the extensions of the phase's callback
    called,   ///< the callback is over
  };

  Stage stage_ = Stage::ready;
};

} // namespace troupe
