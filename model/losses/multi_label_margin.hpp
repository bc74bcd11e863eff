#pragma once

#include "model/losses/loss.hpp"

namespace troupe {

/// In each row z of n predictions, the classes of the row, where y is 1, should exceed the others,
/// where y is 0, by a margin of 1; mean over the N rows:
///
///   loss = 1/N sum over rows of 1/n sum over j, y_j = 1, and k, y_k = 0, of max(0, 1 - z_j + z_k)
///
/// As PyTorch's MultiLabelMarginLoss, which takes lists of classes instead of y. Metric: accuracy,
/// the share of rows whose largest z belongs to one of its classes. Crammer & Singer, "A family of
/// additive online algorithms for category ranking", JMLR 3, 2003, with the sum instead of the
/// maximum.
template <class Scalar>
class MultiLabelMargin : public Loss<Scalar> {
public:
  std::string name() const override { return "multi_label_margin"; }
  TargetKind target_kind() const override { return TargetKind::same_shape; }
  bool is_binary() const override { return true; }
  /// @throws std::invalid_argument also for a target that is neither 0 nor 1
  double loss_and_gradient(const Comparison<Scalar>& comparison,
                           std::span<Scalar> gradient) const override;

private:
  double weight(const Comparison<Scalar>& comparison) const override; ///< rows
  void add_metrics(const Comparison<Scalar>& comparison, Metrics& metrics) const override;
};

} // namespace troupe
