#pragma once

#include "model/optimizers/optimizer.hpp"

namespace troupe {

/// The options of the optimizer `adam`.
struct AdamOptions {
  double learning_rate = 0.001; ///< alpha, >= 0
  double beta1 = 0.9;           ///< in [0, 1)
  double beta2 = 0.999;         ///< in [0, 1)
  double epsilon = 1e-8;        ///< >= 0
  double weight_decay = 0;      ///< lambda, L2
  TROUPE_FIELDS(learning_rate, beta1, beta2, epsilon, weight_decay);
};

/// The options of the optimizer `adamw`.
struct AdamWOptions {
  double learning_rate = 0.001; ///< alpha, >= 0
  double beta1 = 0.9;           ///< in [0, 1)
  double beta2 = 0.999;         ///< in [0, 1)
  double epsilon = 1e-8;        ///< >= 0
  double weight_decay = 0.01;   ///< lambda, decoupled
  TROUPE_FIELDS(learning_rate, beta1, beta2, epsilon, weight_decay);
};

/// Adam: SGD with per-parameter step sizes from bias-corrected moments; t counts steps from 1.
///
///   g <- g + lambda x                      AdamW instead: x <- x - alpha lambda x
///   m <- beta1 m + (1 - beta1) g           m^ = m / (1 - beta1^t)
///   v <- beta2 v + (1 - beta2) g^2         v^ = v / (1 - beta2^t)
///   x <- x - alpha m^ / (sqrt(v^) + epsilon)
///
/// Slots: mean (m), variance (v). Kingma & Ba, "Adam: a method for stochastic optimization",
/// algorithm 1, arXiv:1412.6980, with its defaults; AdamW: Loshchilov & Hutter, "Decoupled weight
/// decay regularization", algorithm 2, arXiv:1711.05101, defaults as in PyTorch.
class Adam : public Optimizer {
public:
  /// @param size of the block of parameters
  /// @throws std::invalid_argument for options out of range
  Adam(AdamOptions options, Index size);
  /// AdamW. @throws std::invalid_argument for options out of range
  Adam(AdamWOptions options, Index size);

  std::string name() const override { return decoupled_ ? "adamw" : "adam"; }
  std::map<std::string, double> settings() const override;
  void set(const std::string& setting, double value) override;
  double learning_rate() const override { return options_.learning_rate; }
  std::optional<OptimizerRule> rule() const override;

private:
  Adam(AdamOptions options, bool decoupled, Index size);

  AdamOptions options_;
  bool decoupled_;
};

} // namespace troupe
