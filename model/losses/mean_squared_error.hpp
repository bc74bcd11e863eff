#pragma once

#include "model/losses/loss.hpp"

namespace troupe {

/// Mean over all N numbers of the squared difference between prediction p and target y:
///
///   loss = 1/N sum (p - y)^2      dp = 2 (p - y) / N
///
/// Metrics: mse and mae (mean of |p - y|) over all numbers together in the target's own unit; r2
/// separately for each column of the prediction's rows, then averaged (r_squared.hpp).
template <class Scalar>
class MeanSquaredError : public Loss<Scalar> {
public:
  std::string name() const override { return "mean_squared_error"; }
  TargetKind target_kind() const override { return TargetKind::same_shape; }
  double loss_and_gradient(const Comparison<Scalar>& comparison,
                           std::span<Scalar> gradient) const override;
  std::optional<DeviceLoss> device_loss() const override {
    return DeviceLoss{.kind = DeviceLoss::Kind::mean_squared_error};
  }

private:
  void add_metrics(const Comparison<Scalar>& comparison, Metrics& metrics) const override;
};

} // namespace troupe
