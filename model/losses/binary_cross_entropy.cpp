#include "model/losses/binary_cross_entropy.hpp"

#include "model/losses/loss_kind.hpp"

#include <Eigen/Core>

#include <algorithm>
#include <cmath>
#include <stdexcept>

namespace troupe {

namespace {

// Numbers summed in Scalar before double takes over: few enough not to lose digits, enough to
// vectorise.
constexpr Index exact_run = 1024;

template <class Scalar>
using Numbers = Eigen::Map<const Eigen::Array<Scalar, Eigen::Dynamic, 1>>;

} // namespace

template <class Scalar>
double BinaryCrossEntropy<Scalar>::loss_and_gradient(const Comparison<Scalar>& comparison,
                                                     std::span<Scalar> gradient) const {
  const auto& target = comparison.target.values;
  const auto count = static_cast<Index>(comparison.prediction.size());
  if (comparison.prediction.size() != target.size())
    throw std::invalid_argument("binary_cross_entropy compares " + std::to_string(count)
                                + " predicted numbers with " + std::to_string(target.size()));
  const auto wrong = std::find_if(target.begin(), target.end(), [](Scalar y) {
    return y < 0 || y > 1; // false for NaN, which must show in the loss
  });
  if (wrong != target.end())
    refuse_target(name(), static_cast<std::size_t>(wrong - target.begin()), double{*wrong},
                  "0 to 1");
  double total = 0;
  for (Index at = 0; at < count; at += exact_run) {
    const auto n = std::min(exact_run, count - at);
    const Numbers<Scalar> z{comparison.prediction.data() + at, n}, y{target.data() + at, n};
    total += (z.max(Scalar{0}) - z * y + (-z.abs()).exp().log1p()).sum();
    Eigen::Map<Eigen::Array<Scalar, Eigen::Dynamic, 1>> dz{gradient.data() + at, n};
    dz = (((-z).exp() + 1).inverse() - y) / static_cast<Scalar>(count);
  }
  return total / static_cast<double>(count);
}

template <class Scalar>
void BinaryCrossEntropy<Scalar>::add_metrics(const Comparison<Scalar>& comparison,
                                             Metrics& metrics) const {
  const auto& y = comparison.target.values;
  Index right = 0;
  for (std::size_t i = 0; i < y.size(); ++i)
    right += !std::isnan(comparison.prediction[i])
             && (comparison.prediction[i] > 0) == (y[i] > Scalar(0.5));
  metrics.add_mean("accuracy", static_cast<double>(right), static_cast<double>(y.size()));
}

template class BinaryCrossEntropy<float>;
template class BinaryCrossEntropy<double>;

namespace {

const RegisterLoss binary_cross_entropy_kind{loss_kind<BinaryCrossEntropy>("binary_cross_entropy")};

} // namespace

} // namespace troupe
