#include "messages/loop/steering.hpp"

namespace troupe {

void Steering::count_batch() {
  auto& left = before_cut_ ? before_cut_ : allowance_;
  if (left && *left > 0)
    --*left;
}

bool Steering::holds_behind(LoopPhase step) const {
  return awaits_end_ && step < LoopPhase::on_interrupt && step != LoopPhase::before_update
         && callback_of(step);
}

Hold Steering::hold(LoopPhase step, bool served) const {
  if (before_cut_)
    return *before_cut_ == 0 && (served || step == LoopPhase::before_batch) ? Hold::quiesced
                                                                            : Hold::none;
  if (served)
    return awaits_end_ ? Hold::common_end : Hold::none;
  return pauses(step) ? Hold::paused : Hold::none;
}

} // namespace troupe
