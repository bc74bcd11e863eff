#pragma once

#include "model/losses/loss.hpp"

namespace troupe {

/// Losses that compare prediction p and target y number by number, mean over all N numbers:
///
///   loss = 1/N sum f(p, y)      dp = f'(p, y) / N
///
///   mean_absolute_error      |p - y|
///   smooth_l1                d^2 / 2 where |d| < 1, else |d| - 1/2, with d = p - y; Huber's loss,
///                            Girshick, "Fast R-CNN", arXiv:1504.08083, eq. 3
///   poisson                  exp(p) - y p: the negative log-likelihood of the count y without the
///                            terms that do not depend on p; p is the logarithm of the rate
///   kl_divergence            y (log y - p), 0 if y is 0; p is a log-probability, y in [0, 1]
///   soft_margin              log(1 + exp(-y p)), y is -1 or 1
///   hinge_embedding          p where y is 1, max(0, 1 - p) where y is -1
///   masked_binary_cross_entropy   as binary_cross_entropy where y >= 0; numbers with y < 0 do
///                            not count
///   multi_label_soft_margin  as binary_cross_entropy, its name where a row may have several
///                            classes: y is 1 for the classes of the row, else 0
///
/// As in PyTorch with reduction "mean". Metrics: mae for the first two, in the target's own unit;
/// for soft_margin and the last two accuracy, the share of numbers where p > 0 exactly if y is the
/// upper value.
enum class Elementwise {
  mean_absolute_error,
  smooth_l1,
  poisson,
  kl_divergence,
  soft_margin,
  hinge_embedding,
  masked_binary_cross_entropy,
  multi_label_soft_margin,
};

std::string to_string(Elementwise kind);

template <class Scalar>
class ElementwiseLoss : public Loss<Scalar> {
public:
  explicit ElementwiseLoss(Elementwise kind) : kind_(kind) {}

  std::string name() const override { return to_string(kind_); }
  TargetKind target_kind() const override { return TargetKind::same_shape; }
  /// @throws std::invalid_argument also for a target that the loss does not accept
  double loss_and_gradient(const Comparison<Scalar>& comparison,
                           std::span<Scalar> gradient) const override;

  bool counts(Scalar value) const override;
  bool is_binary() const override;
  double score(Scalar prediction) const override;

private:
  double weight(const Comparison<Scalar>& comparison) const override;
  void add_metrics(const Comparison<Scalar>& comparison, Metrics& metrics) const override;

  Elementwise kind_;
};

} // namespace troupe
