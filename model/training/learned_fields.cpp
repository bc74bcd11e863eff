#include "model/training/learned_fields.hpp"

#include "model/losses/make_loss.hpp"

#include <stdexcept>

namespace troupe {

std::size_t find_input(const DataSpec& data, const std::string& name) {
  std::string known;
  for (std::size_t i = 0; i < data.inputs.size(); ++i) {
    if (name.empty() || data.inputs[i].name == name) {
      if (data.inputs[i].type != ElementType::float32)
        throw std::invalid_argument("a network needs numbers, but the input is "
                                    + to_string(data.inputs[i]));
      return i;
    }
    known += (known.empty() ? "" : ", ") + data.inputs[i].name;
  }
  throw std::invalid_argument(data.inputs.empty()
                                ? "the problem has no input"
                                : "the problem has no input '" + name + "'; it has " + known);
}

const FieldSpec& only_target(const DataSpec& data) {
  if (data.targets.size() != 1)
    throw std::invalid_argument("a network learns one target; the problem has "
                                + std::to_string(data.targets.size()));
  return data.targets.front();
}

template <class Scalar>
std::shared_ptr<const Loss<Scalar>> choose_loss(LossOptions options, const FieldSpec& target) {
  const auto classes = target.type == ElementType::class_index;
  const auto& name = options.name;
  if (name == "auto")
    options.name = !classes        ? "mean_squared_error"
                   : target.masked ? "masked_cross_entropy"
                                   : "softmax_cross_entropy";
  auto loss = make_loss<Scalar>(options);
  if ((loss->target_kind() == TargetKind::class_index) != classes)
    throw std::invalid_argument(name + " compares with " + (classes ? "numbers" : "classes")
                                + ", but the target is " + to_string(target)
                                + "; loss \"auto\" chooses a fitting one");
  if (target.masked && name == "softmax_cross_entropy")
    throw std::invalid_argument(name + " needs a class everywhere, but some of the target "
                                + to_string(target) + " are masked; use masked_cross_entropy");
  return loss;
}

template std::shared_ptr<const Loss<float>> choose_loss(LossOptions, const FieldSpec&);
template std::shared_ptr<const Loss<double>> choose_loss(LossOptions, const FieldSpec&);

} // namespace troupe
