#pragma once

#include "troupe/model/losses/loss.hpp"

namespace troupe {

/// Cross-entropy between the softmax of the prediction z and the class c, mean over the N rows:
///
///   loss  = 1/N sum_i (log sum_j exp(z_ij) - z_ic)
///   dz_ij = (exp(z_ij) / sum_k exp(z_ik) - [j = c]) / N
///
/// Computed with the largest z of each row taken off, so that nothing overflows. Metric: accuracy,
/// the share of rows whose largest z is at c. Bridle, "Probabilistic interpretation of feedforward
/// classification network outputs", 1990.
/// @throws std::invalid_argument for a class outside 0 .. width - 1.
template <class Scalar>
class SoftmaxCrossEntropy : public Loss<Scalar> {
public:
  std::string name() const override { return "softmax_cross_entropy"; }
  TargetKind target_kind() const override { return TargetKind::class_index; }
  double loss_and_gradient(const Comparison<Scalar>& comparison,
                           std::span<Scalar> gradient) const override;

private:
  void add_metrics(const Comparison<Scalar>& comparison, Metrics& metrics) const override;
};

} // namespace troupe
