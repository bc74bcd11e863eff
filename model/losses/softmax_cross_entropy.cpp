#include "model/losses/softmax_cross_entropy.hpp"

#include "model/losses/class_rows.hpp"
#include "model/losses/loss_kind.hpp"

#include <Eigen/Core>

#include <algorithm>
#include <cmath>
#include <stdexcept>

namespace troupe {

template <class Scalar>
SoftmaxCrossEntropy<Scalar>::SoftmaxCrossEntropy(SoftmaxCrossEntropyOptions options)
  : options_(options) {
  if (!(options.label_smoothing >= 0 && options.label_smoothing < 1))
    throw std::invalid_argument("label_smoothing is " + std::to_string(options.label_smoothing)
                                + "; give a share from 0 to less than 1");
}

template <class Scalar>
std::string SoftmaxCrossEntropy<Scalar>::name() const {
  return options_.masked ? "masked_cross_entropy" : "softmax_cross_entropy";
}

template <class Scalar>
double SoftmaxCrossEntropy<Scalar>::weight(const Comparison<Scalar>& comparison) const {
  const auto& classes = comparison.target.classes;
  return static_cast<double>(static_cast<Index>(classes.size())
                             - std::count(classes.begin(), classes.end(), masked_class));
}

// exp runs once over all rows: rows of ten classes are too short to vectorise separately.
template <class Scalar>
double SoftmaxCrossEntropy<Scalar>::loss_and_gradient(const Comparison<Scalar>& comparison,
                                                      std::span<Scalar> gradient) const {
  check_classes(*this, comparison, options_.masked);
  const auto& classes = comparison.target.classes;
  const auto n = comparison.width, rows = static_cast<Index>(classes.size());
  const auto count = weight(comparison);
  const auto* z = comparison.prediction.data();
  auto* dz = gradient.data();
  const auto dealt = static_cast<Scalar>(options_.label_smoothing / static_cast<double>(n));
  const auto kept = static_cast<Scalar>(1 - options_.label_smoothing);
  using Row = Eigen::Map<Eigen::Array<Scalar, Eigen::Dynamic, 1>>;
  double total = 0;
  for (Index i = 0; i < rows; ++i) {
    const auto* row = z + i * n;
    auto largest = row[0];
    for (Index j = 1; j < n; ++j)
      largest = std::max(largest, row[j]);
    for (Index j = 0; j < n; ++j)
      dz[i * n + j] = row[j] - largest;
    if (classes[i] != masked_class)
      total -= kept * dz[i * n + classes[i]];
    if (dealt > 0 && classes[i] != masked_class)
      total -= dealt * Row{dz + i * n, n}.sum();
  }
  Row all{dz, rows * n};
  all = all.exp();
  for (Index i = 0; i < rows; ++i) {
    auto* row = dz + i * n;
    if (classes[i] == masked_class) {
      std::fill_n(row, n, Scalar{0});
      continue;
    }
    const auto sum = Row{row, n}.sum();
    total += std::log(sum);
    const auto factor = 1 / (sum * static_cast<Scalar>(count));
    const auto share = dealt / static_cast<Scalar>(count);
    for (Index j = 0; j < n; ++j)
      row[j] = row[j] * factor - share;
    row[classes[i]] -= kept / static_cast<Scalar>(count);
  }
  return count == 0 ? 0 : total / count;
}

template <class Scalar>
void SoftmaxCrossEntropy<Scalar>::add_metrics(const Comparison<Scalar>& comparison,
                                              Metrics& metrics) const {
  metrics.add_mean("accuracy", correct_rows(comparison), weight(comparison));
}

template class SoftmaxCrossEntropy<float>;
template class SoftmaxCrossEntropy<double>;

namespace {

template <class Scalar>
LossMaker<Scalar> cross_entropy_maker(bool masked) {
  return [masked](const LossOptions& options) {
    return std::make_shared<SoftmaxCrossEntropy<Scalar>>(
      SoftmaxCrossEntropyOptions{options.label_smoothing, masked});
  };
}

LossKind cross_entropy_kind(std::string name, bool masked) {
  return {std::move(name), cross_entropy_maker<float>(masked), cross_entropy_maker<double>(masked),
          true};
}

const RegisterLoss softmax_cross_entropy_kind{cross_entropy_kind("softmax_cross_entropy", false)};
const RegisterLoss masked_cross_entropy_kind{cross_entropy_kind("masked_cross_entropy", true)};

} // namespace

} // namespace troupe
