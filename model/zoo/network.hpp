#pragma once

#include "model/kernels/product_scope.hpp"
#include "model/layers/chain.hpp"
#include "model/losses/loss.hpp"
#include "model/losses/metric_list.hpp"
#include "model/optimizers/parameter_sharing.hpp"
#include "model/training/model.hpp"

#include <memory>
#include <string>
#include <vector>

namespace troupe {

/// The multi-layer perceptron "mlp": linear layers with an activation between them.
struct NetworkOptions {
  std::vector<Index> hidden = {256}; ///< outputs of each hidden layer; empty: a linear model
  std::string activation = "relu";   ///< relu, tanh, sigmoid, leaky_relu, silu
  std::string loss = "auto";         ///< by the target's type: softmax_cross_entropy for classes
    ///< (masked_cross_entropy if some are masked), mean_squared_error
    ///< for numbers; or one by name (losses/)
  std::string initializer = "he_normal"; ///< see initializers.hpp
  std::string input = "";                ///< name of the input; "": the problem's first
  double label_smoothing = 0;            ///< for a cross-entropy over classes, 0 .. < 1
  std::vector<std::string> metrics = {}; ///< in addition to those of the loss, see
                                         ///< losses/metric_list.hpp
  std::vector<std::string> frozen
    = {};            ///< names of parameters that never change, or patterns as in Layout::freeze
  Shares share = {}; ///< parameters that share their numbers, see ParameterSharing
  TROUPE_FIELDS(hidden, activation, loss, initializer, input, label_smoothing, metrics, frozen,
                share);
};

/// The options that every network has besides its layers; each as in NetworkOptions.
struct NetworkBasics {
  std::string loss = "auto";             ///< "auto": by the target's type
  double label_smoothing = 0;            ///< 0 .. < 1
  std::string input = "";                ///< "": the problem's first
  std::vector<std::string> metrics = {}; ///< beside those of the loss
  std::vector<std::string> frozen = {};  ///< names, or patterns as in Layout::freeze
  Shares share = {};                     ///< groups of parameters with the same numbers
  TROUPE_FIELDS(loss, label_smoothing, input, metrics, frozen, share);
};

/// The shape of a prediction of the target of `data`: a number for each class, or one for each
/// number.
/// @throws std::invalid_argument if the problem does not say
Shape prediction_shape(const DataSpec& data);

/// The vocabulary size of an input of tokens.
/// @param input its name; "": the first
/// @throws std::invalid_argument if the problem does not say
Index vocabulary_of(const DataSpec& data, const std::string& input);

/// A chain of layers and a loss.
template <class Scalar>
class BasicNetwork : public BasicModel<Scalar> {
public:
  /// In the order in which they are applied.
  using Layers = typename Chain<Scalar>::Layers;

  /// The "mlp" for this data: the input is flattened, and the output is as wide as the target
  /// needs.
  /// @throws std::invalid_argument for invalid options or unsuitable data
  explicit BasicNetwork(const DataSpec& data, const NetworkOptions& options = {});

  /// A network of the given layers. The first one gets the input unchanged, [any, ...]; the output
  /// of the last one is the prediction.
  /// @throws std::invalid_argument if they do not fit each other or the data
  BasicNetwork(Layers layers, const DataSpec& data, const NetworkBasics& basics = {},
               std::string name = "network");

  /// Selects the kernels for products, also for its clones.
  /// @pre tiles_available() for tiles
  void use_products(Products products) { products_ = products; }

  std::string name() const override { return name_; }
  const Layout& layout() const override { return layout_; }
  std::vector<FieldSpec> inputs() const override { return {input_}; }
  FieldSpec prediction() const override { return prediction_; }
  TargetKind target_kind() const override { return loss_->target_kind(); }
  std::string loss_name() const override { return loss_->name(); }
  /// The groups of parameters that share their numbers.
  const Shares& shares() const { return sharing_.shares(); }
  /// The layers.
  const Chain<Scalar>& chain() const { return chain_; }
  /// What is minimised.
  const Loss<Scalar>& loss() const { return *loss_; }
  /// The place of its input among those of the problem.
  std::size_t input_index() const { return input_index_; }
  /// True where its input, tokens [any, length], may be padded.
  bool has_padding() const { return input_.masked && input_.shape.size() == 2; }

  void initialize(std::span<Scalar> parameters, RandomKey key) const override;
  std::span<const Scalar> forward(std::span<const Scalar> parameters,
                                  const BasicBatch<Scalar>& batch) override;
  double loss_and_gradient(std::span<const Scalar> parameters, const BasicBatch<Scalar>& batch,
                           std::span<Scalar> gradient) override {
    return backpropagate(parameters, batch, gradient, nullptr);
  }
  double loss_and_partial_gradient(GradientProducts<Scalar>& deferred,
                                   std::span<const Scalar> parameters,
                                   const BasicBatch<Scalar>& batch,
                                   std::span<Scalar> gradient) override {
    return backpropagate(parameters, batch, gradient, &deferred);
  }
  void evaluate(std::span<const Scalar> parameters, const BasicBatch<Scalar>& batch,
                Metrics& metrics) override;
  /// Adds the loss and metrics of a prediction of the batch.
  /// @param scratch overwritten; as long as the prediction
  void measure(std::span<const Scalar> prediction, const BasicBatch<Scalar>& batch,
               std::span<Scalar> scratch, Metrics& metrics) const;
  /// Its input in the batch, [batch.size, any]. @throws std::invalid_argument for another size
  std::span<const Scalar> input(const BasicBatch<Scalar>& batch) const;
  double weight(const BasicBatch<Scalar>& batch) const override;
  bool mixes_examples() const override { return chain_.mixes_examples(); }
  std::vector<StageSummary> stages() const override;
  std::unique_ptr<BasicModel<Scalar>> clone() const override;

private:
  /// Without layers.
  BasicNetwork(const DataSpec& data, const NetworkBasics& basics, std::string name);
  void connect(const Shape& input, Layers layers, const NetworkBasics& basics);
  BasicNetwork(const BasicNetwork& other) = default; ///< clone
  void freeze(const std::vector<std::string>& patterns);
  /// The block that the layers read, in which each layer has its own copy of shared numbers.
  std::span<const Scalar> whole(std::span<const Scalar> parameters);
  std::span<const Scalar> run(std::span<const Scalar> parameters, const BasicBatch<Scalar>& batch,
                              PassContext context);
  double backpropagate(std::span<const Scalar> parameters, const BasicBatch<Scalar>& batch,
                       std::span<Scalar> gradient, GradientProducts<Scalar>* deferred);
  Comparison<Scalar> comparison(std::span<const Scalar> prediction,
                                const BasicBatch<Scalar>& batch) const;

  std::string name_;
  std::size_t input_index_ = 0; ///< among the problem's inputs
  FieldSpec input_;
  FieldSpec prediction_;
  Layout layout_;
  ParameterSharing sharing_;
  Buffer<Scalar> whole_, whole_gradient_; ///< of all layers' parameters, if some are shared
  double target_unit_ = 1;
  std::shared_ptr<const Loss<Scalar>> loss_;
  MetricList<Scalar> metrics_; ///< in addition to those of the loss
  Chain<Scalar> chain_;
  Scratch scratch_; ///< of the current pass
  Products products_ = Products::library;
  std::vector<Index> lengths_; ///< of the current pass's sequences, if there is padding
  Index frozen_front_ = 0;     ///< parameters of the layers before the first one that is trained
};

/// The network of training.
using Network = BasicNetwork<float>;

} // namespace troupe
