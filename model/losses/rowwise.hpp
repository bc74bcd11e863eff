#pragma once

#include "model/losses/loss.hpp"

namespace troupe {

/// Losses that compare a row z of n predictions with its class c, mean over the N rows:
///
///   negative_log_likelihood   -z_c, where z holds log-probabilities: the model ends in a
///                             log-softmax
///   multi_margin              1/n sum over j != c of max(0, 1 - z_c + z_j): Crammer and Singer,
///                             JMLR 2, 2001, with the mean instead of the maximum
///
/// As in PyTorch. Metric: accuracy, the share of rows whose largest z is at c.
enum class Rowwise { negative_log_likelihood, multi_margin };

std::string to_string(Rowwise kind);

template <class Scalar>
class RowwiseLoss : public Loss<Scalar> {
public:
  explicit RowwiseLoss(Rowwise kind) : kind_(kind) {}

  std::string name() const override { return to_string(kind_); }
  TargetKind target_kind() const override { return TargetKind::class_index; }
  /// @throws std::invalid_argument also for a class outside 0 .. n - 1
  double loss_and_gradient(const Comparison<Scalar>& comparison,
                           std::span<Scalar> gradient) const override;
  std::optional<DeviceLoss> device_loss() const override {
    if (kind_ == Rowwise::negative_log_likelihood)
      return DeviceLoss{.kind = DeviceLoss::Kind::negative_log_likelihood};
    return {};
  }

private:
  void add_metrics(const Comparison<Scalar>& comparison, Metrics& metrics) const override;

  Rowwise kind_;
};

} // namespace troupe
