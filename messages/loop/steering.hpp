#pragma once

#include "base/types.hpp"
#include "messages/loop/loop_machine.hpp"

#include <cstdint>
#include <optional>
#include <utility>

namespace troupe {

/// Why training is held.
enum class Hold : std::uint8_t {
  none,       ///< it continues
  paused,     ///< until people resume it or let it advance
  quiesced,   ///< with all workers at one consistent cut, until they leave it
  common_end, ///< until all workers end together
};

/// Decides whether training is held: people pause it and let it advance by some batches, all
/// workers quiesce, and an extension that acts for all workers waits for their common end.
///
/// While workers quiesce, only the quiescence counts; a pause takes effect again afterwards.
class Steering {
public:
  void pause() { allowance_ = 0; }
  void resume() { allowance_.reset(); }
  /// Pauses after that many more batches, in addition to those left of the last call.
  void advance(Step batches) { allowance_ = allowance_.value_or(0) + batches; }
  bool is_paused() const { return allowance_.has_value(); }

  /// Quiesces after that many more batches.
  void quiesce(Step batches) { before_cut_ = batches; }
  void leave_quiescence() { before_cut_.reset(); }
  bool is_quiescing() const { return before_cut_.has_value(); }

  /// An extension requests the end of all workers. @returns whether it is the first to do so.
  bool await_common_end() { return !std::exchange(awaits_end_, true); }
  /// All workers end now, or a new run begins.
  void forget_common_end() { awaits_end_ = false; }

  /// A batch begins.
  void count_batch();

  /// Whether training is held after the callback of `step` until all workers end together: only
  /// where the loop could end if requested.
  bool holds_behind(LoopPhase step) const;

  /// @param served whether the callback of `step` is over
  Hold hold(LoopPhase step, bool served) const;
  /// Whether people have paused training at `step`, regardless of other reasons.
  bool pauses(LoopPhase step) const { return allowance_ == 0 && step == LoopPhase::before_batch; }

private:
  std::optional<Step> allowance_;  ///< batches to train although paused; none: not paused
  std::optional<Step> before_cut_; ///< batches to train before it quiesces; none: it does not
  bool awaits_end_ = false;
};

} // namespace troupe
