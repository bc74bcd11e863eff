#include "model/losses/loss.hpp"

#include <stdexcept>

namespace troupe {

template <class Scalar>
double Loss<Scalar>::weight(const Comparison<Scalar>& comparison) const {
  return static_cast<double>(target_kind() == TargetKind::class_index
                               ? comparison.target.classes.size()
                               : comparison.target.values.size());
}

template <class Scalar>
void Loss<Scalar>::evaluate(const Comparison<Scalar>& comparison, std::span<Scalar> scratch,
                            Metrics& metrics) const {
  const auto mean = loss_and_gradient(comparison, scratch);
  const auto count = weight(comparison);
  metrics.add_mean("loss", count == 0 ? 0.0 : mean * count, count);
  add_metrics(comparison, metrics);
}

void refuse_target(const std::string& loss, std::size_t at, double value,
                   const std::string& needed) {
  throw std::invalid_argument("target " + std::to_string(at) + " is " + std::to_string(value) + "; "
                              + loss + " needs " + needed
                              + "; a table's target is standardised unless you set "
                                "problem.standardize=false");
}

template class Loss<float>;
template class Loss<double>;

} // namespace troupe
