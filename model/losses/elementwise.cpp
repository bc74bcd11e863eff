#include "model/losses/elementwise.hpp"

#include "model/losses/loss_kind.hpp"

#include <algorithm>
#include <cmath>
#include <stdexcept>

namespace troupe {

namespace {

/// True for a target that the loss accepts.
bool target_fits(Elementwise kind, double y) {
  switch (kind) {
  case Elementwise::poisson: return !(y < 0);
  case Elementwise::kl_divergence:
  case Elementwise::multi_label_soft_margin: return !(y < 0 || y > 1);
  case Elementwise::soft_margin:
  case Elementwise::hinge_embedding: return y == 1 || y == -1;
  case Elementwise::masked_binary_cross_entropy: return !(y > 1);
  default: return true;
  }
}

std::string fitting_targets(Elementwise kind) {
  switch (kind) {
  case Elementwise::poisson: return "0 or more";
  case Elementwise::kl_divergence:
  case Elementwise::multi_label_soft_margin: return "0 to 1";
  case Elementwise::masked_binary_cross_entropy: return "0 to 1, or below 0 where masked";
  default: return "-1 or 1";
  }
}

/// True if the sign of the prediction can be right or wrong. hinge_embedding predicts a
/// distance, which has no sign.
bool shows_accuracy(Elementwise kind) {
  return kind == Elementwise::soft_margin || kind == Elementwise::masked_binary_cross_entropy
         || kind == Elementwise::multi_label_soft_margin;
}

} // namespace

std::string to_string(Elementwise kind) {
  switch (kind) {
  case Elementwise::mean_absolute_error: return "mean_absolute_error";
  case Elementwise::smooth_l1: return "smooth_l1";
  case Elementwise::poisson: return "poisson";
  case Elementwise::kl_divergence: return "kl_divergence";
  case Elementwise::soft_margin: return "soft_margin";
  case Elementwise::hinge_embedding: return "hinge_embedding";
  case Elementwise::masked_binary_cross_entropy: return "masked_binary_cross_entropy";
  case Elementwise::multi_label_soft_margin: return "multi_label_soft_margin";
  }
  return "unknown loss";
}

template <class Scalar>
bool ElementwiseLoss<Scalar>::counts(Scalar value) const {
  return !is_masked(kind_, double{value});
}

template <class Scalar>
bool ElementwiseLoss<Scalar>::is_binary() const {
  return shows_accuracy(kind_) || kind_ == Elementwise::hinge_embedding;
}

// The distance is small for positive targets.
template <class Scalar>
double ElementwiseLoss<Scalar>::score(Scalar prediction) const {
  return kind_ == Elementwise::hinge_embedding ? -prediction : prediction;
}

template <class Scalar>
double ElementwiseLoss<Scalar>::weight(const Comparison<Scalar>& comparison) const {
  const auto& y = comparison.target.values;
  return static_cast<double>(
    std::count_if(y.begin(), y.end(), [this](Scalar value) { return counts(value); }));
}

template <class Scalar>
double ElementwiseLoss<Scalar>::loss_and_gradient(const Comparison<Scalar>& comparison,
                                                  std::span<Scalar> gradient) const {
  const auto p = comparison.prediction;
  const auto& y = comparison.target.values;
  if (p.size() != y.size())
    throw std::invalid_argument(name() + " compares " + std::to_string(p.size())
                                + " predicted numbers with " + std::to_string(y.size()));
  const auto count = weight(comparison);
  double total = 0;
  for (std::size_t i = 0; i < p.size(); ++i) {
    if (!target_fits(kind_, double{y[i]}))
      refuse_target(name(), i, double{y[i]}, fitting_targets(kind_));
    const auto term = is_masked(kind_, double{y[i]})
                        ? ElementTerm{}
                        : element_term(kind_, double{p[i]}, double{y[i]});
    total += term.value;
    gradient[i] = static_cast<Scalar>(count == 0 ? 0.0 : term.slope / count);
  }
  return count == 0 ? 0 : total / count;
}

template <class Scalar>
void ElementwiseLoss<Scalar>::add_metrics(const Comparison<Scalar>& comparison,
                                          Metrics& metrics) const {
  const auto p = comparison.prediction;
  const auto& target = comparison.target.values;
  const auto middle = kind_ == Elementwise::soft_margin ? 0.0 : 0.5;
  double absolute = 0, right = 0;
  for (std::size_t i = 0; i < p.size(); ++i) {
    const double y = target[i];
    if (is_masked(kind_, y))
      continue;
    absolute += std::abs(p[i] - y);
    right += !std::isnan(p[i]) && (p[i] > 0) == (y > middle);
  }
  if (shows_accuracy(kind_))
    metrics.add_mean("accuracy", right, weight(comparison));
  else if (kind_ == Elementwise::mean_absolute_error || kind_ == Elementwise::smooth_l1)
    metrics.add_mean("mae", absolute * comparison.unit, weight(comparison));
}

template class ElementwiseLoss<float>;
template class ElementwiseLoss<double>;

namespace {

RegisterLoss elementwise_kind(Elementwise kind) {
  return RegisterLoss{loss_kind<ElementwiseLoss>(to_string(kind), kind)};
}

const RegisterLoss mean_absolute_error_kind = elementwise_kind(Elementwise::mean_absolute_error);
const RegisterLoss smooth_l1_kind = elementwise_kind(Elementwise::smooth_l1);
const RegisterLoss poisson_kind = elementwise_kind(Elementwise::poisson);
const RegisterLoss kl_divergence_kind = elementwise_kind(Elementwise::kl_divergence);
const RegisterLoss soft_margin_kind = elementwise_kind(Elementwise::soft_margin);
const RegisterLoss hinge_embedding_kind = elementwise_kind(Elementwise::hinge_embedding);
const RegisterLoss masked_binary_cross_entropy_kind
  = elementwise_kind(Elementwise::masked_binary_cross_entropy);
const RegisterLoss multi_label_soft_margin_kind
  = elementwise_kind(Elementwise::multi_label_soft_margin);

} // namespace

} // namespace troupe
