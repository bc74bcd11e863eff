#include "model/losses/loss_kind.hpp"

namespace troupe {

template <>
Registry<LossKind>& registry_of() {
  static Registry<LossKind> kinds; // there before any file registers its own
  return kinds;
}

} // namespace troupe
