#include "model/losses/make_loss.hpp"

#include "model/losses/binary_cross_entropy.hpp"
#include "model/losses/elementwise.hpp"
#include "model/losses/mean_squared_error.hpp"
#include "model/losses/multi_label_margin.hpp"
#include "model/losses/rowwise.hpp"
#include "model/losses/softmax_cross_entropy.hpp"

#include <algorithm>
#include <stdexcept>

namespace troupe {

std::vector<std::string> loss_names() {
  std::vector<std::string> names{"softmax_cross_entropy", "masked_cross_entropy",
                                 "mean_squared_error", "binary_cross_entropy",
                                 "multi_label_margin"};
  for (const auto kind : all_elementwise)
    names.push_back(to_string(kind));
  for (const auto kind : all_rowwise)
    names.push_back(to_string(kind));
  return names;
}

template <class Scalar>
std::shared_ptr<const Loss<Scalar>> make_loss(const LossOptions& options) {
  const auto& name = options.name;
  const auto masked = name == "masked_cross_entropy";
  if (masked || name == "softmax_cross_entropy")
    return std::make_shared<SoftmaxCrossEntropy<Scalar>>(
      SoftmaxCrossEntropyOptions{options.label_smoothing, masked});
  if (name == "margin_ranking")
    throw std::invalid_argument(
      "margin_ranking compares two predictions of one example with each other, and a network makes "
      "one; let it predict their difference, with a target of 1 or -1, and use soft_margin");
  const auto names = loss_names();
  if (std::find(names.begin(), names.end(), name) == names.end()) {
    std::string known;
    for (const auto& each : names)
      known += (known.empty() ? "" : ", ") + each;
    throw std::invalid_argument("there is no loss '" + name + "'; known are " + known);
  }
  if (options.label_smoothing != 0)
    throw std::invalid_argument("label_smoothing is " + std::to_string(options.label_smoothing)
                                + ", which " + name + " does not have; leave it 0");
  if (name == "mean_squared_error")
    return std::make_shared<MeanSquaredError<Scalar>>();
  if (name == "multi_label_margin")
    return std::make_shared<MultiLabelMargin<Scalar>>();
  for (const auto kind : all_elementwise)
    if (name == to_string(kind))
      return std::make_shared<ElementwiseLoss<Scalar>>(kind);
  for (const auto kind : all_rowwise)
    if (name == to_string(kind))
      return std::make_shared<RowwiseLoss<Scalar>>(kind);
  return std::make_shared<BinaryCrossEntropy<Scalar>>();
}

template std::shared_ptr<const Loss<float>> make_loss(const LossOptions&);
template std::shared_ptr<const Loss<double>> make_loss(const LossOptions&);

} // namespace troupe
