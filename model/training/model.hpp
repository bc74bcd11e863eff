#pragma once

#include "model/data/problem.hpp"
#include "model/kernels/gradient_product.hpp"
#include "model/layers/stage_summary.hpp"
#include "model/losses/target_kind.hpp"
#include "model/metrics/metrics.hpp"
#include "model/tensor/random.hpp"

#include <memory>
#include <span>
#include <string>
#include <vector>

namespace troupe {

/// A model to train. Implement this class to add your own, over one block of parameters.
///
/// An instance owns the memory for a step (activations), nothing else: parameters and gradients
/// belong to the caller. An instance serves one thread; `clone` makes another one. No function
/// allocates after it has seen the largest batch.
template <class Scalar>
class BasicModel {
public:
  virtual ~BasicModel() = default;

  /// As the configuration calls it: "mlp".
  virtual std::string name() const = 0;

  /// Names, shapes and offsets of the parameters; every `parameters` and `gradient` below has
  /// layout().size() elements.
  virtual const Layout& layout() const = 0;

  /// The inputs that it needs, by name, with `any_size` if every size fits; the compatibility check
  /// compares them.
  virtual std::vector<FieldSpec> inputs() const = 0;
  /// The shape of its prediction; the first dimension is the batch.
  virtual FieldSpec prediction() const = 0;
  /// What its targets are: numbers like the prediction, by default, or classes.
  virtual TargetKind target_kind() const { return TargetKind::same_shape; }
  /// The name of the loss in messages, e.g. "softmax_cross_entropy"; by default "loss".
  virtual std::string loss_name() const { return "loss"; }

  /// Draws the initial parameters from `key`. The numbers of a parameter depend on its name only.
  virtual void initialize(std::span<Scalar> parameters, RandomKey key) const = 0;

  /// Predicts. The span, [batch.size, prediction().width()], is valid until the next call.
  virtual std::span<const Scalar> forward(std::span<const Scalar> parameters,
                                          const BasicBatch<Scalar>& batch)
    = 0;

  /// @returns the mean loss over the batch, and writes its whole gradient
  virtual double loss_and_gradient(std::span<const Scalar> parameters,
                                   const BasicBatch<Scalar>& batch, std::span<Scalar> gradient)
    = 0;
  /// The same, but large products may be deferred to the caller: each one is appended to `deferred`
  /// instead of being written to its place. Their factors are valid until the batch changes or the
  /// model's next pass. Which products are deferred depends on the sizes only; by default none.
  /// @param deferred empty
  virtual double loss_and_partial_gradient(GradientProducts<Scalar>& deferred,
                                           std::span<const Scalar> parameters,
                                           const BasicBatch<Scalar>& batch,
                                           std::span<Scalar> gradient) {
    static_cast<void>(deferred);
    return loss_and_gradient(parameters, batch, gradient);
  }

  /// Adds the batch's loss and metrics (accuracy, R2, ...) to `metrics`. By default the loss alone,
  /// for which it computes a gradient that nothing uses.
  virtual void evaluate(std::span<const Scalar> parameters, const BasicBatch<Scalar>& batch,
                        Metrics& metrics) {
    std::vector<Scalar> unused(parameters.size());
    const auto weight_of_batch = weight(batch);
    metrics.add_mean("loss", loss_and_gradient(parameters, batch, unused) * weight_of_batch,
                     weight_of_batch);
  }

  /// The most examples that an evaluation gives evaluate() at once. By default so few that their
  /// activations stay in a processor's caches.
  virtual Index examples_at_once() const { return 64; }

  /// The weight of the mean loss of a batch beside that of another batch, in any unit. Not the
  /// number of examples if some numbers are masked.
  virtual double weight(const BasicBatch<Scalar>& batch) const {
    return static_cast<double>(batch.size);
  }
  /// True if the gradient of one example depends on the others in its batch (batch
  /// normalization): such a batch cannot be split over threads.
  virtual bool mixes_examples() const { return false; }
  /// Its stages, in order; may be empty.
  virtual std::vector<StageSummary> stages() const { return {}; }

  /// A model of the same shape with memory of its own, for another thread.
  virtual std::unique_ptr<BasicModel> clone() const = 0;
};

/// For a model whose copy is one with memory of its own: its `clone` is its copy.
///
///   class Mine : public CopiedModel<Mine> { ... };
template <class Derived, class Scalar = float>
class CopiedModel : public BasicModel<Scalar> {
public:
  std::unique_ptr<BasicModel<Scalar>> clone() const override {
    return std::make_unique<Derived>(static_cast<const Derived&>(*this));
  }
};

/// The model of training. Tests compare gradients in BasicModel<double>.
using Model = BasicModel<float>;

} // namespace troupe
