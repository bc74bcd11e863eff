#pragma once

#include "model/optimizers/optimizer.hpp"

namespace troupe {

/// The options of the optimizer `rmsprop`.
struct RmsPropOptions {
  double learning_rate = 0.01; ///< alpha, >= 0
  double decay = 0.99;         ///< rho, in [0, 1)
  double epsilon = 1e-8;       ///< >= 0
  double weight_decay = 0;     ///< lambda, L2
  TROUPE_FIELDS(learning_rate, decay, epsilon, weight_decay);
};

/// RMSProp: steps divided by a running root mean square of the gradient.
///
///   g <- g + lambda x
///   v <- rho v + (1 - rho) g^2
///   x <- x - alpha g / (sqrt(v) + epsilon)
///
/// Slot: mean_square. Tieleman & Hinton, "Lecture 6.5: rmsprop", Coursera, 2012; defaults as in
/// PyTorch.
class RmsProp : public Optimizer {
public:
  /// @param size of the block of parameters
  /// @throws std::invalid_argument for options out of range
  RmsProp(RmsPropOptions options, Index size);

  std::string name() const override { return "rmsprop"; }
  std::map<std::string, double> settings() const override;
  void set(const std::string& setting, double value) override;
  double learning_rate() const override { return options_.learning_rate; }
  std::optional<OptimizerRule> rule() const override;

private:
  RmsPropOptions options_;
};

} // namespace troupe
