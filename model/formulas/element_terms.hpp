// Losses of one number, for processor and graphics card.
#pragma once

#include "base/host_device.hpp"

#include <cmath>
#include <cstdint>

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
enum class Elementwise : std::uint8_t {
  mean_absolute_error,
  smooth_l1,
  poisson,
  kl_divergence,
  soft_margin,
  hinge_embedding,
  masked_binary_cross_entropy,
  multi_label_soft_margin,
};

/// f(p, y) and its derivative with respect to p.
struct ElementTerm {
  double value = 0, slope = 0;
};

/// log(1 + exp(x)), without overflow.
TROUPE_HOST_DEVICE inline double softplus(double x) {
  return (x < 0 ? 0.0 : x) + std::log1p(std::exp(-std::abs(x)));
}

TROUPE_HOST_DEVICE inline double logistic(double x) { return 1 / (1 + std::exp(-x)); }

TROUPE_HOST_DEVICE inline ElementTerm smooth_l1_term(double d) {
  const auto small = std::abs(d) < 1;
  return {small ? d * d / 2 : std::abs(d) - 0.5, d < -1 ? -1.0 : d > 1 ? 1.0 : d};
}

TROUPE_HOST_DEVICE inline ElementTerm hinge_embedding_term(double p, double y) {
  if (y > 0)
    return {p, 1};
  if (p >= 1) // false for NaN, which must show in the loss
    return {};
  return {1 - p, -1};
}

TROUPE_HOST_DEVICE inline ElementTerm element_term(Elementwise kind, double p, double y) {
  const auto d = p - y;
  switch (kind) {
  case Elementwise::mean_absolute_error: return {std::abs(d), d == 0 ? 0 : std::copysign(1.0, d)};
  case Elementwise::smooth_l1: return smooth_l1_term(d);
  case Elementwise::poisson: return {std::exp(p) - y * p, std::exp(p) - y};
  case Elementwise::kl_divergence: return {y > 0 ? y * (std::log(y) - p) : 0.0, -y};
  case Elementwise::soft_margin: return {softplus(-y * p), -y * logistic(-y * p)};
  case Elementwise::hinge_embedding: return hinge_embedding_term(p, y);
  case Elementwise::masked_binary_cross_entropy:
  case Elementwise::multi_label_soft_margin: return {softplus(p) - y * p, logistic(p) - y};
  }
  return {};
}

/// True for a target number that does not count.
TROUPE_HOST_DEVICE inline bool is_masked(Elementwise kind, double y) {
  return kind == Elementwise::masked_binary_cross_entropy && y < 0;
}

} // namespace troupe
