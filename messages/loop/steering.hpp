#pragma once

#include "base/types.hpp"
#include "messages/loop/loop_machine.hpp"

#include <cstdint>
#include <optional>
#include <utility>

namespace troupe {

/// Why training holds where it stands.
enum class Hold : std::uint8_t {
  none,       ///< it goes on
  paused,     ///< until people resume it or let it advance
  quiesced,   ///< with all workers at one consistent cut, until they leave it
  common_end, ///< until all workers end together
};

/// Decides whether training holds: people pause it and let it advance by some batches, all workers
/// quiesce, and an extension that acts for all workers waits for their common end.
///
/// While workers quiesce, that alone counts; what people have ordered holds again afterwards.
class Steering {
public:
  void pause() { allowance_ = 0; }
  void resume() { allowance_.reset(); }
  /// Pauses after so many more batches; adds to those that are left of the last call.
  void advance(Step batches) { allowance_ = allowance_.value_or(0) + batches; }
  bool is_paused() const { return allowance_.has_value(); }

  /// Quiesces after so many more batches.
  void quiesce(Step batches) { before_cut_ = batches; }
  void leave_quiescence() { before_cut_.reset(); }
  bool is_quiescing() const { return before_cut_.has_value(); }

  /// An extension wants all workers to end. @returns whether it is the first that does.
  bool await_common_end() { return !std::exchange(awaits_end_, true); }
  /// All workers end now, or a new run begins.
  void forget_common_end() { awaits_end_ = false; }

  /// A batch begins.
  void count_batch();

  /// Whether training holds behind the callback of `step` until all workers end together: only
  /// where the loop would end if it were asked to.
  bool holds_behind(LoopPhase step) const;

  /// @param served the callback of `step` is over, and training stands behind it
  Hold hold(LoopPhase step, bool served) const;
  /// Whether people have paused training at `step`, whatever else holds it.
  bool pauses(LoopPhase step) const { return allowance_ == 0 && step == LoopPhase::before_batch; }

private:
  std::optional<Step> allowance_;  ///< batches to train although people have paused; none: they
                                   ///< have not
  std::optional<Step> before_cut_; ///< batches to train before it quiesces; none: it shall not
  bool awaits_end_ = false;
};

} // namespace troupe
