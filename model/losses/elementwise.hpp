#pragma once

#include "model/formulas/element_terms.hpp"
#include "model/losses/loss.hpp"

namespace troupe {

std::string to_string(Elementwise kind);

/// See Elementwise.
template <class Scalar>
class ElementwiseLoss : public Loss<Scalar> {
public:
  explicit ElementwiseLoss(Elementwise kind) : kind_(kind) {}

  std::string name() const override { return to_string(kind_); }
  TargetKind target_kind() const override { return TargetKind::same_shape; }
  /// @throws std::invalid_argument also for a target that the loss does not accept
  double loss_and_gradient(const Comparison<Scalar>& comparison,
                           std::span<Scalar> gradient) const override;

  std::optional<DeviceLoss> device_loss() const override {
    return DeviceLoss{.kind = DeviceLoss::Kind::elementwise,
                      .element = kind_,
                      .masked = kind_ == Elementwise::masked_binary_cross_entropy};
  }
  bool counts(Scalar value) const override;
  bool is_binary() const override;
  double score(Scalar prediction) const override;

private:
  double weight(const Comparison<Scalar>& comparison) const override;
  void add_metrics(const Comparison<Scalar>& comparison, Metrics& metrics) const override;

  Elementwise kind_;
};

} // namespace troupe
