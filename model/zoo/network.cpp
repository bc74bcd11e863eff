#include "model/zoo/network.hpp"

#include "model/data/token_lengths.hpp"
#include "model/layers/activations.hpp"
#include "model/layers/linear.hpp"
#include "model/layers/output.hpp"
#include "model/training/learned_fields.hpp"
#include "model/training/model_kind.hpp"

#include <algorithm>
#include <stdexcept>

namespace troupe {

namespace {

/// The shape of a prediction of `target`.
Shape shape_for(const FieldSpec& target) {
  auto shape = target.shape;
  if (target.type == ElementType::class_index) {
    if (target.classes < 1)
      throw std::invalid_argument("the problem does not say how many classes its target '"
                                  + target.name + "' has");
    shape.push_back(target.classes);
  }
  known_width(shape, "a network that predicts '" + target.name + "'");
  return shape;
}

template <class Scalar>
typename BasicNetwork<Scalar>::Layers perceptron(const DataSpec& data,
                                                 const NetworkOptions& options) {
  typename BasicNetwork<Scalar>::Layers layers;
  for (auto outputs : options.hidden) {
    layers.push_back(std::make_unique<LinearLayer<Scalar>>(outputs, options.initializer));
    layers.push_back(make_activation<Scalar>(options.activation));
  }
  layers.push_back(
    std::make_unique<OutputLayer<Scalar>>(prediction_shape(data), options.initializer));
  return layers;
}

} // namespace

Shape prediction_shape(const DataSpec& data) { return shape_for(only_target(data)); }

Index vocabulary_of(const DataSpec& data, const std::string& input) {
  const auto& field = data.inputs[find_input(data, input)];
  if (field.classes < 1)
    throw std::invalid_argument("the input " + to_string(field)
                                + " does not consist of tokens, which an embedding needs; the "
                                  "problems text and serial_recall have tokens");
  return field.classes;
}

template <class Scalar>
BasicNetwork<Scalar>::BasicNetwork(const DataSpec& data, const NetworkOptions& options)
  : BasicNetwork(data,
                 {.loss = options.loss,
                  .label_smoothing = options.label_smoothing,
                  .input = options.input,
                  .metrics = options.metrics},
                 "mlp") {
  connect({any_size, known_width(input_.shape, "mlp")}, perceptron<Scalar>(data, options),
          {.frozen = options.frozen, .share = options.share});
}

template <class Scalar>
BasicNetwork<Scalar>::BasicNetwork(Layers layers, const DataSpec& data, const NetworkBasics& basics,
                                   std::string name)
  : BasicNetwork(data, basics, std::move(name)) {
  if (layers.empty())
    throw std::invalid_argument("a network needs at least one layer");
  connect(input_.shape, std::move(layers), basics);
}

template <class Scalar>
BasicNetwork<Scalar>::BasicNetwork(const DataSpec& data, const NetworkBasics& basics,
                                   std::string name)
  : name_(std::move(name)),
    input_index_(find_input(data, basics.input)),
    input_(data.inputs[input_index_]),
    prediction_{"prediction", ElementType::float32, {}, 0},
    target_unit_(only_target(data).unit),
    loss_(choose_loss<Scalar>({basics.loss, basics.label_smoothing}, only_target(data))),
    metrics_(basics.metrics, only_target(data), loss_) {}

template <class Scalar>
std::vector<StageSummary> BasicNetwork<Scalar>::stages() const {
  auto stages = chain_.stages(); // for the block that the layers see
  for (auto& stage : stages) {
    stage.begin = sharing_.block_offset(stage.begin);
    stage.end = sharing_.block_offset(stage.end);
  }
  return stages;
}

template <class Scalar>
void BasicNetwork<Scalar>::connect(const Shape& input, Layers layers, const NetworkBasics& basics) {
  prediction_.shape = chain_.connect(input, "", std::move(layers), layout_);
  const auto unsuited = chain_.kind_without_padding_support();
  if (const auto kind = unsuited.empty() ? chain_.kind_mixing_tokens() : unsuited;
      has_padding() && !kind.empty())
    throw std::invalid_argument("a layer " + kind + " would mix the padding of the input "
                                + to_string(input_)
                                + " into the data before it; use lstm, gru, causal attention, and "
                                  "layers that work on each position separately");
  if (!basics.share.empty()) {
    sharing_ = ParameterSharing{layout_, basics.share};
    whole_.resize(static_cast<std::size_t>(layout_.size()));
    whole_gradient_.resize(whole_.size());
    layout_ = sharing_.layout();
  }
  freeze(basics.frozen);
}

template <class Scalar>
std::unique_ptr<BasicModel<Scalar>> BasicNetwork<Scalar>::clone() const {
  return std::unique_ptr<BasicNetwork>{new BasicNetwork{*this}};
}

template <class Scalar>
void BasicNetwork<Scalar>::freeze(const std::vector<std::string>& patterns) {
  for (const auto& pattern : patterns)
    layout_.freeze(pattern);
  const auto layout = whole_.empty() ? layout_ : sharing_.whole_with_roles(layout_);
  const auto& parameters = layout.parameters();
  const auto moved = std::find_if(parameters.begin(), parameters.end(),
                                  [](const auto& p) { return p.role != ParameterRole::frozen; });
  frozen_front_ = chain_.train_from(moved == parameters.end() ? layout.size() : moved->offset);
}

template <class Scalar>
std::span<const Scalar> BasicNetwork<Scalar>::input(const BasicBatch<Scalar>& batch) const {
  const auto& values = batch.inputs.at(input_index_).values;
  if (static_cast<Index>(values.size()) != batch.size * input_.width())
    throw std::invalid_argument("a batch of " + std::to_string(batch.size) + " holds "
                                + std::to_string(values.size()) + " numbers of "
                                + to_string(input_));
  return values;
}

template <class Scalar>
Comparison<Scalar> BasicNetwork<Scalar>::comparison(std::span<const Scalar> prediction,
                                                    const BasicBatch<Scalar>& batch) const {
  return {prediction, prediction_.shape.back(), batch.targets.at(0), target_unit_};
}

template <class Scalar>
void BasicNetwork<Scalar>::initialize(std::span<Scalar> parameters, RandomKey key) const {
  if (whole_.empty())
    return chain_.initialize(parameters, key);
  Buffer<Scalar> all(whole_.size());
  chain_.initialize(all, key);
  sharing_.gather<Scalar>(all, parameters);
}

template <class Scalar>
std::span<const Scalar> BasicNetwork<Scalar>::forward(std::span<const Scalar> parameters,
                                                      const BasicBatch<Scalar>& batch) {
  const ProductScope scope{products_};
  return run(whole(parameters), batch, {});
}

template <class Scalar>
std::span<const Scalar> BasicNetwork<Scalar>::whole(std::span<const Scalar> parameters) {
  if (whole_.empty())
    return parameters;
  sharing_.expand<Scalar>(parameters, whole_);
  return whole_;
}

template <class Scalar>
std::span<const Scalar> BasicNetwork<Scalar>::run(std::span<const Scalar> parameters,
                                                  const BasicBatch<Scalar>& batch,
                                                  PassContext context) {
  const auto x = input(batch);
  if (has_padding()) {
    token_lengths(x, input_.shape.back(), lengths_);
    context.lengths = lengths_;
  }
  context.continues = batch.continues;
  scratch_.give_back_from(0);
  context.scratch = &scratch_;
  chain_.begin(context);
  return chain_.forward(parameters, x);
}

template <class Scalar>
double BasicNetwork<Scalar>::backpropagate(std::span<const Scalar> parameters,
                                           const BasicBatch<Scalar>& batch,
                                           std::span<Scalar> gradient,
                                           GradientProducts<Scalar>* deferred) {
  const ProductScope scope{products_};
  const auto all = whole(parameters);
  const std::span<Scalar> whole_gradient
    = whole_.empty() ? gradient : std::span<Scalar>{whole_gradient_};
  const auto y = run(all, batch, {.training = true, .noise = batch.noise});
  const auto loss = loss_->loss_and_gradient(comparison(y, batch), chain_.output_gradient());
  std::fill_n(whole_gradient.begin(), frozen_front_, Scalar{0});
  // A shared parameter's gradient is a sum, so products cannot be deferred.
  chain_.backward(all, input(batch), whole_gradient, false, whole_.empty() ? deferred : nullptr);
  if (!whole_.empty())
    sharing_.fold<Scalar>(whole_gradient, gradient);
  return loss;
}

template <class Scalar>
double BasicNetwork<Scalar>::weight(const BasicBatch<Scalar>& batch) const {
  return loss_->weight(comparison({}, batch));
}

template <class Scalar>
void BasicNetwork<Scalar>::evaluate(std::span<const Scalar> parameters,
                                    const BasicBatch<Scalar>& batch, Metrics& metrics) {
  const auto prediction = forward(parameters, batch);
  measure(prediction, batch, chain_.output_gradient(), metrics);
}

template <class Scalar>
void BasicNetwork<Scalar>::measure(std::span<const Scalar> prediction,
                                   const BasicBatch<Scalar>& batch, std::span<Scalar> scratch,
                                   Metrics& metrics) const {
  const auto compared = comparison(prediction, batch);
  loss_->evaluate(compared, scratch, metrics);
  metrics_.add(compared, metrics);
}

template class BasicNetwork<float>;
template class BasicNetwork<double>;

namespace {

const RegisterModel perceptron_kind{model_kind<Network, NetworkOptions>("mlp")};
const RegisterModel linear_model_kind{
  model_kind<Network, NetworkOptions>("linear", {.hidden = {}})};

} // namespace

} // namespace troupe
