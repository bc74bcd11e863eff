#include "troupe/model/losses/softmax_cross_entropy.hpp"

#include <Eigen/Core>

#include <algorithm>
#include <cmath>
#include <stdexcept>

namespace troupe {

namespace {

template <class Scalar>
void check_classes(const Comparison<Scalar>& comparison) {
  const auto& classes = comparison.target.classes;
  if (classes.size() * static_cast<std::size_t>(comparison.width) != comparison.prediction.size())
    throw std::invalid_argument("softmax_cross_entropy compares "
                                + std::to_string(comparison.prediction.size())
                                + " numbers in rows of " + std::to_string(comparison.width)
                                + " with " + std::to_string(classes.size()) + " classes");
  for (std::size_t i = 0; i < classes.size(); ++i)
    if (classes[i] < 0 || classes[i] >= comparison.width)
      throw std::invalid_argument("the class of row " + std::to_string(i) + " is "
                                  + std::to_string(classes[i]) + "; the prediction knows 0 to "
                                  + std::to_string(comparison.width - 1));
}

} // namespace

// exp runs once over all rows: rows of ten classes are too short to vectorise one by one.
template <class Scalar>
double SoftmaxCrossEntropy<Scalar>::loss_and_gradient(const Comparison<Scalar>& comparison,
                                                      std::span<Scalar> gradient) const {
  check_classes(comparison);
  const auto& classes = comparison.target.classes;
  const auto n = comparison.width, rows = static_cast<Index>(classes.size());
  const auto* z = comparison.prediction.data();
  auto* dz = gradient.data();
  double total = 0;
  for (Index i = 0; i < rows; ++i) {
    const auto* row = z + i * n;
    auto largest = row[0];
    for (Index j = 1; j < n; ++j)
      largest = std::max(largest, row[j]);
    for (Index j = 0; j < n; ++j)
      dz[i * n + j] = row[j] - largest;
    total -= dz[i * n + classes[i]];
  }
  Eigen::Map<Eigen::Array<Scalar, Eigen::Dynamic, 1>> all{dz, rows * n};
  all = all.exp();
  for (Index i = 0; i < rows; ++i) {
    auto* row = dz + i * n;
    const auto sum = Eigen::Map<Eigen::Array<Scalar, Eigen::Dynamic, 1>>{row, n}.sum();
    total += std::log(sum);
    const auto factor = 1 / (sum * static_cast<Scalar>(rows));
    for (Index j = 0; j < n; ++j)
      row[j] *= factor;
    row[classes[i]] -= 1 / static_cast<Scalar>(rows);
  }
  return total / static_cast<double>(rows);
}

template <class Scalar>
void SoftmaxCrossEntropy<Scalar>::add_metrics(const Comparison<Scalar>& comparison,
                                              Metrics& metrics) const {
  const auto& classes = comparison.target.classes;
  const auto n = comparison.width;
  Index right = 0;
  for (std::size_t i = 0; i < classes.size(); ++i) {
    const auto* row = comparison.prediction.data() + static_cast<Index>(i) * n;
    right += std::max_element(row, row + n) - row == classes[i];
  }
  metrics.add_mean("accuracy", static_cast<double>(right), static_cast<double>(classes.size()));
}

template class SoftmaxCrossEntropy<float>;
template class SoftmaxCrossEntropy<double>;

} // namespace troupe
