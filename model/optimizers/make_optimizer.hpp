#pragma once

#include "model/optimizers/adadelta.hpp"
#include "model/optimizers/adagrad.hpp"
#include "model/optimizers/adam.hpp"
#include "model/optimizers/rmsprop.hpp"
#include "model/optimizers/sgd.hpp"

#include <memory>

namespace troupe {

/// Makes the optimizer of the given options for a block of `size` parameters.
/// @throws std::invalid_argument for options out of range
std::unique_ptr<Optimizer> make_optimizer(const SgdOptions& options, Index size);
/// Adam. @throws std::invalid_argument for options out of range
std::unique_ptr<Optimizer> make_optimizer(const AdamOptions& options, Index size);
/// AdamW. @throws std::invalid_argument for options out of range
std::unique_ptr<Optimizer> make_optimizer(const AdamWOptions& options, Index size);
/// RMSProp. @throws std::invalid_argument for options out of range
std::unique_ptr<Optimizer> make_optimizer(const RmsPropOptions& options, Index size);
/// AdaGrad. @throws std::invalid_argument for options out of range
std::unique_ptr<Optimizer> make_optimizer(const AdaGradOptions& options, Index size);
/// AdaDelta. @throws std::invalid_argument for options out of range
std::unique_ptr<Optimizer> make_optimizer(const AdaDeltaOptions& options, Index size);

} // namespace troupe
