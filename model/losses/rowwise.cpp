#include "model/losses/rowwise.hpp"

#include "model/losses/class_rows.hpp"
#include "model/losses/loss_kind.hpp"

#include <algorithm>

namespace troupe {

namespace {

/// @returns the sum of max(0, 1 - z_c + z_j) over j != c; adds `share` times its gradient to dz
template <class Scalar>
double margins(const Scalar* z, Index n, Index c, Scalar share, Scalar* dz) {
  double total = 0;
  for (Index j = 0; j < n; ++j) {
    const auto missing = 1 - z[c] + z[j];
    if (j == c || missing <= 0) // false for NaN, which must show in the loss
      continue;
    total += missing;
    dz[j] += share;
    dz[c] -= share;
  }
  return total;
}

} // namespace

std::string to_string(Rowwise kind) {
  switch (kind) {
  case Rowwise::negative_log_likelihood: return "negative_log_likelihood";
  case Rowwise::multi_margin: return "multi_margin";
  }
  return "unknown loss";
}

template <class Scalar>
double RowwiseLoss<Scalar>::loss_and_gradient(const Comparison<Scalar>& comparison,
                                              std::span<Scalar> gradient) const {
  check_classes(*this, comparison, false);
  const auto& classes = comparison.target.classes;
  const auto n = comparison.width;
  const auto rows = static_cast<Scalar>(classes.size());
  std::fill(gradient.begin(), gradient.end(), Scalar{0});
  double total = 0;
  for (std::size_t i = 0; i < classes.size(); ++i) {
    const auto first = static_cast<Index>(i) * n;
    const auto* z = comparison.prediction.data() + first;
    auto* dz = gradient.data() + first;
    if (kind_ == Rowwise::multi_margin) {
      total += margins(z, n, classes[i], 1 / (rows * static_cast<Scalar>(n)), dz)
               / static_cast<double>(n);
    } else {
      total -= z[classes[i]];
      dz[classes[i]] = -1 / rows;
    }
  }
  return classes.empty() ? 0 : total / static_cast<double>(classes.size());
}

template <class Scalar>
void RowwiseLoss<Scalar>::add_metrics(const Comparison<Scalar>& comparison,
                                      Metrics& metrics) const {
  metrics.add_mean("accuracy", correct_rows(comparison),
                   static_cast<double>(comparison.target.classes.size()));
}

template class RowwiseLoss<float>;
template class RowwiseLoss<double>;

namespace {

RegisterLoss rowwise_kind(Rowwise kind) {
  return RegisterLoss{loss_kind<RowwiseLoss>(to_string(kind), kind)};
}

const RegisterLoss negative_log_likelihood_kind = rowwise_kind(Rowwise::negative_log_likelihood);
const RegisterLoss multi_margin_kind = rowwise_kind(Rowwise::multi_margin);

} // namespace

} // namespace troupe
