#include "model/losses/mean_squared_error.hpp"

#include "model/losses/loss_kind.hpp"

#include <cmath>
#include <stdexcept>

namespace troupe {

template <class Scalar>
double MeanSquaredError<Scalar>::loss_and_gradient(const Comparison<Scalar>& comparison,
                                                   std::span<Scalar> gradient) const {
  const auto p = comparison.prediction;
  const auto& y = comparison.target.values;
  if (p.size() != y.size())
    throw std::invalid_argument("mean_squared_error compares " + std::to_string(p.size())
                                + " predicted numbers with " + std::to_string(y.size()));
  const auto scale = 2 / static_cast<Scalar>(p.size());
  double total = 0;
  for (std::size_t i = 0; i < p.size(); ++i) {
    const auto error = p[i] - y[i];
    total += double{error} * error;
    gradient[i] = scale * error;
  }
  return total / static_cast<double>(p.size());
}

template <class Scalar>
void MeanSquaredError<Scalar>::add_metrics(const Comparison<Scalar>& comparison,
                                           Metrics& metrics) const {
  const auto p = comparison.prediction;
  const auto& target = comparison.target.values;
  double squared_error = 0, absolute_error = 0;
  for (std::size_t i = 0; i < p.size(); ++i) {
    const double error = p[i] - double{target[i]};
    squared_error += error * error;
    absolute_error += std::abs(error);
  }
  const auto count = static_cast<double>(p.size());
  metrics.r_squared().add<Scalar>(p, target, comparison.width);
  metrics.add_mean("mse", squared_error * comparison.unit * comparison.unit, count);
  metrics.add_mean("mae", absolute_error * comparison.unit, count);
}

template class MeanSquaredError<float>;
template class MeanSquaredError<double>;

namespace {

const RegisterLoss mean_squared_error_kind{loss_kind<MeanSquaredError>("mean_squared_error")};

} // namespace

} // namespace troupe
