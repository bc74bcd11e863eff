#include "model/losses/multi_label_margin.hpp"

#include "model/losses/class_rows.hpp"
#include "model/losses/loss_kind.hpp"

#include <algorithm>
#include <stdexcept>

namespace troupe {

namespace {

/// @returns the sum of max(0, 1 - z_j + z_k) over pairs of a class j and another k; adds `share`
///          times its gradient to dz
template <class Scalar>
double pair_margins(std::span<const Scalar> z, std::span<const Scalar> y, Scalar share,
                    std::span<Scalar> dz) {
  double total = 0;
  for (std::size_t j = 0; j < z.size(); ++j)
    for (std::size_t k = 0; k < z.size(); ++k) {
      const auto missing = 1 - z[j] + z[k];
      if (y[j] == 0 || y[k] != 0 || missing <= 0) // false for NaN, which must show in the loss
        continue;
      total += missing;
      dz[j] -= share;
      dz[k] += share;
    }
  return total;
}

template <class Scalar>
void check_labels(std::span<const Scalar> y, std::size_t predicted) {
  if (y.size() != predicted)
    throw std::invalid_argument("multi_label_margin compares " + std::to_string(predicted)
                                + " predicted numbers with " + std::to_string(y.size()));
  const auto wrong = std::find_if(y.begin(), y.end(), [](Scalar v) { return v != 0 && v != 1; });
  if (wrong != y.end())
    throw std::invalid_argument("target " + std::to_string(wrong - y.begin()) + " is "
                                + std::to_string(*wrong)
                                + "; multi_label_margin needs 1 for a class that is meant, else 0");
}

} // namespace

template <class Scalar>
double MultiLabelMargin<Scalar>::loss_and_gradient(const Comparison<Scalar>& comparison,
                                                   std::span<Scalar> gradient) const {
  const std::span<const Scalar> z{comparison.prediction}, y{comparison.target.values};
  check_labels(y, z.size());
  std::fill(gradient.begin(), gradient.end(), Scalar{0});
  if (z.empty())
    return 0;
  const auto n = static_cast<std::size_t>(comparison.width);
  const auto share = 1 / static_cast<Scalar>(z.size()); // of N rows and n numbers
  double total = 0;
  for (std::size_t i = 0; i < z.size(); i += n)
    total += pair_margins(z.subspan(i, n), y.subspan(i, n), share, gradient.subspan(i, n));
  return total / static_cast<double>(z.size());
}

template <class Scalar>
double MultiLabelMargin<Scalar>::weight(const Comparison<Scalar>& comparison) const {
  return static_cast<double>(comparison.target.values.size())
         / static_cast<double>(comparison.width);
}

template <class Scalar>
void MultiLabelMargin<Scalar>::add_metrics(const Comparison<Scalar>& comparison,
                                           Metrics& metrics) const {
  const auto z = comparison.prediction;
  const auto n = static_cast<std::size_t>(comparison.width);
  double right = 0;
  for (std::size_t i = 0; i < z.size(); i += n) {
    const auto largest = static_cast<std::size_t>(predicted_class(z.subspan(i, n)));
    right += largest < n && comparison.target.values[i + largest] > 0;
  }
  metrics.add_mean("accuracy", right, weight(comparison));
}

template class MultiLabelMargin<float>;
template class MultiLabelMargin<double>;

namespace {

const RegisterLoss multi_label_margin_kind{loss_kind<MultiLabelMargin>("multi_label_margin")};

} // namespace

} // namespace troupe
