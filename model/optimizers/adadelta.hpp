#pragma once

#include "model/optimizers/optimizer.hpp"

namespace troupe {

/// The options of the optimizer `adadelta`.
struct AdaDeltaOptions {
  double learning_rate = 1; ///< alpha, >= 0
  double decay = 0.95;      ///< rho, in [0, 1)
  double epsilon = 1e-6;    ///< >= 0
  double weight_decay = 0;  ///< lambda, L2
  TROUPE_FIELDS(learning_rate, decay, epsilon, weight_decay);
};

/// AdaDelta: RMSProp whose steps have the unit of the parameters.
///
///   g <- g + lambda x
///   v <- rho v + (1 - rho) g^2
///   d = g sqrt(u + epsilon) / sqrt(v + epsilon)
///   u <- rho u + (1 - rho) d^2
///   x <- x - alpha d
///
/// Slots: mean_square (v), mean_square_step (u). Zeiler, "ADADELTA: an adaptive learning rate
/// method", arXiv:1212.5701, algorithm 1, with its defaults; alpha is not in the paper, and 1 means
/// without it.
class AdaDelta : public Optimizer {
public:
  /// @param size of the block of parameters
  /// @throws std::invalid_argument for options out of range
  AdaDelta(AdaDeltaOptions options, Index size);

  std::string name() const override { return "adadelta"; }
  std::map<std::string, double> settings() const override;
  void set(const std::string& setting, double value) override;
  double learning_rate() const override { return options_.learning_rate; }
  std::optional<OptimizerRule> rule() const override;

private:
  AdaDeltaOptions options_;
};

} // namespace troupe
