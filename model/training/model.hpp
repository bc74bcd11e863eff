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

/// A model to train: implement this over the one block of parameters to bring your own.
///
/// An instance owns the memory that a step needs (activations), nothing else: parameters and
/// gradients are the caller's. So an instance serves one thread; `clone` gives the next one its
/// own. No function allocates once it has seen the largest batch.
template <class Scalar>
class BasicModel {
public:
  virtual ~BasicModel() = default;

  virtual std::string name() const = 0;

  /// Names, shapes and offsets of the parameters; every `parameters` and `gradient` below has
  /// layout().size() elements.
  virtual const Layout& layout() const = 0;

  /// The inputs it needs, by name, with `any_size` where every size will do: the handshake compares
  /// them.
  virtual std::vector<FieldSpec> inputs() const = 0;
  /// The shape of what it predicts; the first size is the batch's.
  virtual FieldSpec prediction() const = 0;
  virtual TargetKind target_kind() const = 0;
  /// What the loss is called in messages, e.g. "softmax_cross_entropy".
  virtual std::string loss_name() const = 0;

  /// Draws the first parameters from `key`. Each parameter's numbers depend on its name only.
  virtual void initialize(std::span<Scalar> parameters, RandomKey key) const = 0;

  /// Predicts. The span, [batch.size, prediction().width()], is valid until the next call.
  virtual std::span<const Scalar> forward(std::span<const Scalar> parameters,
                                          const BasicBatch<Scalar>& batch)
    = 0;

  /// @returns the mean loss over the batch, and writes its gradient, all of it.
  virtual double loss_and_gradient(std::span<const Scalar> parameters,
                                   const BasicBatch<Scalar>& batch, std::span<Scalar> gradient)
    = 0;
  /// The same, but for products that the caller makes: it may leave out large ones, each put into
  /// `left_out` instead of written to its place. Their factors are good until the batch changes or
  /// the model's next pass. Which ones depends on the sizes only. A model that knows nothing of it
  /// leaves none out.
  /// @param left_out empty
  virtual double loss_and_partial_gradient(GradientProducts<Scalar>& left_out,
                                           std::span<const Scalar> parameters,
                                           const BasicBatch<Scalar>& batch,
                                           std::span<Scalar> gradient) {
    static_cast<void>(left_out);
    return loss_and_gradient(parameters, batch, gradient);
  }

  /// Adds the batch's loss and metrics (accuracy, R2, ...) to `metrics`.
  virtual void evaluate(std::span<const Scalar> parameters, const BasicBatch<Scalar>& batch,
                        Metrics& metrics)
    = 0;

  /// What the mean loss of a batch is over, in any unit: the weight of that mean beside another
  /// batch's. Other than its examples where some of what it holds is masked.
  virtual double counted(const BasicBatch<Scalar>& batch) const {
    return static_cast<double>(batch.size);
  }
  /// True where what one example adds to the gradient depends on the others of its batch (batch
  /// normalization): such a batch cannot be split over threads.
  virtual bool mixes_examples() const { return false; }
  /// What it consists of, in order; empty where it does not say.
  virtual std::vector<StageSummary> stages() const { return {}; }

  virtual std::unique_ptr<BasicModel> clone() const = 0;
};

using Model = BasicModel<float>;

} // namespace troupe
