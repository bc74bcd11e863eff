#pragma once

#include "model/losses/loss.hpp"

namespace troupe {

struct SoftmaxCrossEntropyOptions {
  double label_smoothing = 0; ///< e, the share of each target spread over all classes, 0 .. < 1
  bool masked = false;        ///< rows whose class is `masked_class` do not count
};

/// Cross-entropy between the softmax of the prediction z, rows of n classes, and the class c, mean
/// over the N rows that count:
///
///   loss  = 1/N sum_i (log sum_j exp(z_ij) - sum_j q_ij z_ij)       q_ij = (1 - e) [j = c_i] + e/n
///   dz_ij = (exp(z_ij) / sum_k exp(z_ik) - q_ij) / N                0 in rows that do not count
///
/// The largest z of each row is subtracted first, so that nothing overflows. If no row counts,
/// loss and gradient are 0. Metric: accuracy, the share of the rows that count whose largest z is
/// at c. Bridle, "Probabilistic interpretation of feedforward classification network outputs",
/// 1990; label smoothing: Szegedy et al., arXiv:1512.00567, section 7.
///
/// The prediction may have any shape [..., n], with classes [...]: the last dimension makes the
/// rows.
/// @throws std::invalid_argument for a class outside 0 .. n - 1 that is not masked
template <class Scalar>
class SoftmaxCrossEntropy : public Loss<Scalar> {
public:
  /// @throws std::invalid_argument for a smoothing out of range
  explicit SoftmaxCrossEntropy(SoftmaxCrossEntropyOptions options = {});

  std::string name() const override;
  TargetKind target_kind() const override { return TargetKind::class_index; }
  double loss_and_gradient(const Comparison<Scalar>& comparison,
                           std::span<Scalar> gradient) const override;
  std::optional<DeviceLoss> device_loss() const override {
    return DeviceLoss{.kind = DeviceLoss::Kind::softmax_cross_entropy,
                      .label_smoothing = options_.label_smoothing,
                      .masked = options_.masked};
  }

private:
  double weight(const Comparison<Scalar>& comparison) const override;
  void add_metrics(const Comparison<Scalar>& comparison, Metrics& metrics) const override;

  SoftmaxCrossEntropyOptions options_;
};

} // namespace troupe
