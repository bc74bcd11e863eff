#include "model/torch/torch_model.hpp"

#include "model/layers/layer.hpp"
#include "model/torch/torch_failure.hpp"
#include "model/training/learned_fields.hpp"

#include <stdexcept>

namespace troupe {

TorchModel::TorchModel(std::unique_ptr<TorchModule> module, const std::string& path,
                       const DataSpec& data, const TorchOptions& options)
  : module_(std::move(module)),
    description_("the module '" + module_->name() + "' in '" + path + "'"),
    input_index_(find_input(data, options.input)),
    input_(data.inputs[input_index_]),
    prediction_{"prediction", ElementType::float32, {}, 0},
    target_unit_(only_target(data).unit),
    loss_(choose_loss<float>({options.loss, options.label_smoothing}, only_target(data))),
    metrics_(options.metrics, only_target(data), loss_) {
  known_width(input_.shape, description_);
  take_layout(options.frozen);
  probe();
}

TorchModel::TorchModel(const TorchModel& other)
  : Model(other),
    module_(other.module_->clone()),
    description_(other.description_),
    input_index_(other.input_index_),
    input_(other.input_),
    prediction_(other.prediction_),
    layout_(other.layout_),
    target_unit_(other.target_unit_),
    loss_(other.loss_),
    metrics_(other.metrics_) {}

std::unique_ptr<Model> TorchModel::clone() const {
  return std::unique_ptr<TorchModel>{new TorchModel{*this}};
}

void TorchModel::take_layout(const std::vector<std::string>& frozen) {
  for (const auto& tensor : module_->tensors())
    layout_.add(tensor.name, tensor.shape, tensor.role);
  if (layout_.size() == 0)
    throw std::invalid_argument(description_ + "has no parameters, so there is nothing to train");
  for (const auto& pattern : frozen)
    layout_.freeze(pattern);
  const auto& parameters = layout_.parameters();
  for (std::size_t i = 0; i < parameters.size(); ++i)
    if (parameters[i].role == ParameterRole::frozen)
      module_->freeze(i);
}

void TorchModel::probe() {
  constexpr Index examples = 2;
  Buffer<float> values(static_cast<std::size_t>(layout_.size()));
  module_->copy_values(values);
  Batch batch;
  batch.size = examples;
  batch.inputs.resize(input_index_ + 1);
  batch.inputs[input_index_].values.assign(static_cast<std::size_t>(examples * input_.width()), 0);
  const auto output = passed([&] { return module_->predict(values, input(batch)); });
  if (output.shape.empty() || output.shape.front() != examples)
    throw std::invalid_argument(description_ + " returns " + to_string(output.shape) + " for "
                                + std::to_string(examples)
                                + " examples; the first size of its output must be the batch's");
  prediction_.shape = output.shape;
  prediction_.shape.front() = any_size;
}

template <class Pass>
TorchOutput TorchModel::passed(Pass pass) const {
  try {
    return pass();
  } catch (const TorchError& e) {
    throw std::invalid_argument(description_ + " does not take the input " + to_string(input_)
                                + ": " + torch_failure(e.what(), layout_)
                                + "; change its forward, or choose another problem");
  }
}

TorchInput TorchModel::input(const Batch& batch) const {
  const auto& values = batch.inputs.at(input_index_).values;
  if (static_cast<Index>(values.size()) != batch.size * input_.width())
    throw std::invalid_argument("a batch of " + std::to_string(batch.size) + " holds "
                                + std::to_string(values.size()) + " numbers of "
                                + to_string(input_));
  auto shape = input_.shape;
  shape.front() = batch.size;
  return {values, std::move(shape), input_.classes > 0};
}

std::span<const float> TorchModel::checked(const TorchOutput& output, Index examples) const {
  auto shape = prediction_.shape;
  shape.front() = examples;
  if (output.shape != shape)
    throw std::invalid_argument(description_ + " returns " + to_string(output.shape)
                                + " for a batch of " + std::to_string(examples)
                                + ", where it returned " + to_string(prediction_.shape)
                                + " before; let the shape depend on nothing but the batch's size");
  return output.values;
}

Comparison<float> TorchModel::comparison(std::span<const float> prediction,
                                         const Batch& batch) const {
  const auto& shape = prediction_.shape;
  return {prediction, shape.size() > 1 ? shape.back() : 1, batch.targets.at(0), target_unit_};
}

void TorchModel::initialize(std::span<float> parameters, RandomKey) const {
  module_->copy_values(parameters);
}

std::span<const float> TorchModel::forward(std::span<const float> parameters, const Batch& batch) {
  return checked(passed([&] { return module_->predict(parameters, input(batch)); }), batch.size);
}

double TorchModel::loss_and_gradient(std::span<const float> parameters, const Batch& batch,
                                     std::span<float> gradient) {
  const auto y
    = checked(passed([&] { return module_->train(parameters, input(batch), batch.noise.value); }),
              batch.size);
  output_gradient_.resize(y.size());
  const auto loss = loss_->loss_and_gradient(comparison(y, batch), output_gradient_);
  module_->backward(output_gradient_, gradient);
  return loss;
}

void TorchModel::evaluate(std::span<const float> parameters, const Batch& batch, Metrics& metrics) {
  const auto compared = comparison(forward(parameters, batch), batch);
  output_gradient_.resize(compared.prediction.size());
  loss_->evaluate(compared, output_gradient_, metrics);
  metrics_.add(compared, metrics);
}

double TorchModel::weight(const Batch& batch) const { return loss_->weight(comparison({}, batch)); }

} // namespace troupe
