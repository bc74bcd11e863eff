#pragma once

#include "model/optimizers/optimizer.hpp"

namespace troupe {

/// The options of the optimizer `adagrad`.
struct AdaGradOptions {
  double learning_rate = 0.01; ///< alpha, >= 0
  double epsilon = 1e-10;      ///< >= 0
  double weight_decay = 0;     ///< lambda, L2
  TROUPE_FIELDS(learning_rate, epsilon, weight_decay);
};

/// AdaGrad: steps that shrink with all gradients seen.
///
///   g <- g + lambda x
///   s <- s + g^2
///   x <- x - alpha g / (sqrt(s) + epsilon)
///
/// Slot: sum_of_squares. Duchi, Hazan & Singer, "Adaptive subgradient methods", JMLR 12, 2011, the
/// diagonal form of figure 1; defaults as in PyTorch.
class AdaGrad : public Optimizer {
public:
  /// @param size of the block of parameters
  /// @throws std::invalid_argument for options out of range
  AdaGrad(AdaGradOptions options, Index size);

  std::string name() const override { return "adagrad"; }
  std::map<std::string, double> settings() const override;
  void set(const std::string& setting, double value) override;
  double learning_rate() const override { return options_.learning_rate; }
  std::optional<OptimizerRule> rule() const override;

private:
  AdaGradOptions options_;
};

} // namespace troupe
