#include "troupe/model/losses/loss.hpp"

#include "troupe/model/losses/binary_cross_entropy.hpp"
#include "troupe/model/losses/mean_squared_error.hpp"
#include "troupe/model/losses/softmax_cross_entropy.hpp"

#include <stdexcept>

namespace troupe {

template <class Scalar>
void Loss<Scalar>::evaluate(const Comparison<Scalar>& comparison, std::span<Scalar> scratch,
                            Metrics& metrics) const {
  const auto compared = target_kind() == TargetKind::class_index ? comparison.target.classes.size()
                                                                 : comparison.prediction.size();
  const auto mean = loss_and_gradient(comparison, scratch);
  const auto count = static_cast<double>(compared);
  metrics.add_mean("loss", compared == 0 ? 0.0 : mean * count, count);
  add_metrics(comparison, metrics);
}

std::vector<std::string> loss_names() {
  return {"softmax_cross_entropy", "mean_squared_error", "binary_cross_entropy"};
}

template <class Scalar>
std::shared_ptr<const Loss<Scalar>> make_loss(const std::string& name) {
  if (name == "softmax_cross_entropy")
    return std::make_shared<SoftmaxCrossEntropy<Scalar>>();
  if (name == "mean_squared_error")
    return std::make_shared<MeanSquaredError<Scalar>>();
  if (name == "binary_cross_entropy")
    return std::make_shared<BinaryCrossEntropy<Scalar>>();
  std::string known;
  for (const auto& each : loss_names())
    known += (known.empty() ? "" : ", ") + each;
  throw std::invalid_argument("there is no loss '" + name + "'; known are " + known);
}

template class Loss<float>;
template class Loss<double>;
template std::shared_ptr<const Loss<float>> make_loss(const std::string&);
template std::shared_ptr<const Loss<double>> make_loss(const std::string&);

} // namespace troupe
