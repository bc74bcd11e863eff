#include "model/optimizers/make_optimizer.hpp"

namespace troupe {

std::unique_ptr<Optimizer> make_optimizer(const SgdOptions& options, Index size) {
  return std::make_unique<Sgd>(options, size);
}

std::unique_ptr<Optimizer> make_optimizer(const AdamOptions& options, Index size) {
  return std::make_unique<Adam>(options, size);
}

std::unique_ptr<Optimizer> make_optimizer(const AdamWOptions& options, Index size) {
  return std::make_unique<Adam>(options, size);
}

std::unique_ptr<Optimizer> make_optimizer(const RmsPropOptions& options, Index size) {
  return std::make_unique<RmsProp>(options, size);
}

std::unique_ptr<Optimizer> make_optimizer(const AdaGradOptions& options, Index size) {
  return std::make_unique<AdaGrad>(options, size);
}

std::unique_ptr<Optimizer> make_optimizer(const AdaDeltaOptions& options, Index size) {
  return std::make_unique<AdaDelta>(options, size);
}

} // namespace troupe
