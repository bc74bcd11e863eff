#pragma once

#include "model/formulas/device_stage.hpp"
#include "model/kernels/gradient_product.hpp"
#include "model/tensor/layout.hpp"
#include "model/tensor/random.hpp"
#include "model/tensor/scratch.hpp"

#include <memory>
#include <span>

namespace troupe {

/// The purpose of a pass; the network passes it to its layers before each forward pass.
struct PassContext {
  bool training = false; ///< a backward pass will follow
  RandomKey noise{}; ///< of this batch: the same key draws the same numbers; each layer derives its
                     ///< own
  /// For each example the number of positions of its sequence that hold data; the rest is padding.
  /// Empty: no padding. Valid until the end of the pass.
  std::span<const Index> lengths{};
  bool continues = false; ///< each example continues the one at its place in the previous pass
  /// For arrays that are read no more once the layer's forward or backward pass is done. Null: a
  /// layer has memory of its own for them, and backward may follow even if this does not train.
  Scratch* scratch = nullptr;

  /// For what only a backward pass reads later; null: it has to be kept.
  Scratch* forward_scratch() const { return training ? nullptr : scratch; }
};

/// The inputs and outputs of a layer's backward pass.
template <class Scalar>
struct BackwardPass {
  std::span<const Scalar> parameters; ///< the model's whole block
  std::span<const Scalar> x;          ///< the layer's input; overwritten if the layer ran in place
  std::span<const Scalar> y;          ///< the layer's output; only if needs_output()
  std::span<const Scalar> dy;         ///< gradient of the loss w.r.t. y
  std::span<Scalar> dx;       ///< gradient w.r.t. x, to be written; empty if it is not needed
  std::span<Scalar> gradient; ///< w.r.t. the model's whole block; write this layer's part
  /// If a layer may defer products of its part of the gradient instead of computing them, if
  /// they are products of x and dy, which then must stay unchanged; null: nothing may be deferred.
  GradientProducts<Scalar>* deferred = nullptr;
};

/// One stage of a network: a function of its input and of its part of the model's block of
/// parameters.
///
/// Call `connect` once, then begin, forward and backward for any batch. Shapes include the batch:
/// [any, ...]. A layer may keep data from the forward pass for the backward pass that follows, so
/// an instance serves one network.
template <class Scalar>
class Layer {
public:
  virtual ~Layer() = default;

  virtual std::string kind() const = 0; ///< "linear", "relu", ...

  /// Declares the parameters, named `prefix` + ".weight" and so on, in `layout`.
  /// @returns the output's shape
  /// @throws std::invalid_argument if the input's shape does not fit
  virtual Shape connect(const Shape& input, const std::string& prefix, Layout& layout) = 0;

  /// Draws this layer's parameters in the model's block, each from `key.derive(its name)`.
  virtual void initialize(std::span<Scalar> parameters, RandomKey key) const = 0;

  /// Sets the purpose of the next passes; without a call they do not train.
  virtual void begin(const PassContext&) {}
  /// Computes the output. @param x [batch, ...] as `connect` was told @param y to be written, as
  /// long as the output
  virtual void forward(std::span<const Scalar> parameters, std::span<const Scalar> x,
                       std::span<Scalar> y)
    = 0;
  /// Computes the gradients of the last forward pass.
  virtual void backward(const BackwardPass<Scalar>& pass) = 0;

  /// True if x and y may be the same memory, and dy and dx as well.
  virtual bool in_place() const { return false; }
  /// False if backward does not read y: the next layer may then overwrite it.
  virtual bool needs_output() const { return true; }
  /// True if padding (PassContext::lengths) does not change the output before it: the layer
  /// skips padding, looks to the left only, or treats each position separately.
  virtual bool supports_padding() const { return false; }

  /// True if an output number depends on several numbers of the input's last dimension: applied
  /// to tokens [any, length] directly, such a layer mixes their positions.
  virtual bool mixes_last_size() const { return false; }

  /// True if an example's output in training depends on the others of its batch.
  virtual bool mixes_examples() const { return false; }

  /// How a graphics card computes it, once it is connected.
  virtual DeviceStage device_stage() const { return {}; }

  /// A copy with the same options, connected as this one is.
  virtual std::unique_ptr<Layer> clone() const = 0;
};

/// A layer without parameters that maps each number separately, in place; backward reads y.
template <class Scalar>
class ActivationLayer : public Layer<Scalar> {
public:
  Shape connect(const Shape& input, const std::string&, Layout&) override { return input; }
  void initialize(std::span<Scalar>, RandomKey) const override {}
  bool in_place() const override { return true; }
  bool supports_padding() const override { return true; }
};

/// The product of a shape's dimensions without the first, the batch's.
/// @throws std::invalid_argument, beginning with `who`, if one of them is any_size
Index known_width(const Shape& shape, const std::string& who);

} // namespace troupe
