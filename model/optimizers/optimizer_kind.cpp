#include "model/optimizers/optimizer_kind.hpp"

namespace troupe {

template <>
Registry<OptimizerKind>& registry_of() {
  static Registry<OptimizerKind> kinds; // there before any file registers its own
  return kinds;
}

} // namespace troupe
