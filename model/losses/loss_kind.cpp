#include "model/losses/loss_kind.hpp"

namespace troupe {

namespace {

Registry<LossKind>& registered_losses() {
  static Registry<LossKind> kinds; // there before any file registers its own
  return kinds;
}

} // namespace

const Registry<LossKind>& loss_kinds() { return registered_losses(); }

RegisterLoss::RegisterLoss(LossKind kind) { registered_losses().add(std::move(kind)); }

} // namespace troupe
