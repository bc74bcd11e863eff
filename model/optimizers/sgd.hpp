#pragma once

#include "model/optimizers/optimizer.hpp"

namespace troupe {

/// The options of the optimizers `sgd`, `momentum` and `nesterov`, which differ in their defaults.
struct SgdOptions {
  double learning_rate = 0.01; ///< alpha, >= 0
  double momentum = 0;         ///< mu, in [0, 1)
  bool nesterov = false;       ///< needs momentum
  double weight_decay = 0;     ///< lambda, L2
  TROUPE_FIELDS(learning_rate, momentum, nesterov, weight_decay);
};

/// Stochastic gradient descent, with momentum as in PyTorch:
///
///   g <- g + lambda x
///   m <- mu m + g                      m = 0 before the first step, so that its m is g
///   x <- x - alpha m                   Nesterov: x <- x - alpha (g + mu m)
///
/// Slot: momentum, if mu > 0. Sutskever et al., "On the importance of initialization and
/// momentum in deep learning", ICML 2013, eq. 1-4, with the velocity divided by -alpha.
class Sgd : public Optimizer {
public:
  /// @param size of the block of parameters
  /// @throws std::invalid_argument for options out of range
  Sgd(SgdOptions options, Index size);

  std::string name() const override { return "sgd"; }
  std::map<std::string, double> settings() const override;
  void set(const std::string& setting, double value) override;
  double learning_rate() const override { return options_.learning_rate; }
  std::optional<OptimizerRule> rule() const override;

private:
  SgdOptions options_;
};

} // namespace troupe
