#pragma once

#include "model/losses/loss.hpp"

namespace troupe {

/// Cross-entropy between sigmoid(z) of the prediction z, a logit, and the target y in [0, 1], mean
/// over all N numbers:
///
///   loss = 1/N sum (max(z, 0) - z y + log(1 + exp(-|z|)))      dz = (1 / (1 + exp(-z)) - y) / N
///
/// which is -y log s - (1 - y) log(1 - s), s = sigmoid(z), written so that nothing overflows.
/// Metric: accuracy, the share of numbers where z > 0 exactly if y > 1/2.
template <class Scalar>
class BinaryCrossEntropy : public Loss<Scalar> {
public:
  std::string name() const override { return "binary_cross_entropy"; }
  TargetKind target_kind() const override { return TargetKind::same_shape; }
  bool is_binary() const override { return true; }
  /// @throws std::invalid_argument also for a target outside [0, 1]
  double loss_and_gradient(const Comparison<Scalar>& comparison,
                           std::span<Scalar> gradient) const override;
  std::optional<DeviceLoss> device_loss() const override {
    return DeviceLoss{.kind = DeviceLoss::Kind::elementwise,
                      .element = Elementwise::multi_label_soft_margin};
  }

private:
  void add_metrics(const Comparison<Scalar>& comparison, Metrics& metrics) const override;
};

} // namespace troupe
