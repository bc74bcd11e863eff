#include "model/optimizers/optimizer_kind.hpp"

namespace troupe {

namespace {

Registry<OptimizerKind>& registered_optimizers() {
  static Registry<OptimizerKind> kinds; // there before any file registers its own
  return kinds;
}

} // namespace

const Registry<OptimizerKind>& optimizer_kinds() { return registered_optimizers(); }

RegisterOptimizer::RegisterOptimizer(OptimizerKind kind) {
  registered_optimizers().add(std::move(kind));
}

} // namespace troupe
