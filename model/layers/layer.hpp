#pragma once

#include "model/kernels/gradient_product.hpp"
#include "model/tensor/layout.hpp"
#include "model/tensor/random.hpp"

#include <memory>
#include <span>

namespace troupe {

/// What a pass is for; the network tells its layers before each forward pass.
struct PassContext {
  bool training = false; ///< the loss's gradient will be asked for
  RandomKey noise{};     ///< of this batch: the same one draws the same, each layer derives its own
  /// Of each example, how many places of its sequence hold something; those behind them are
  /// padding. Empty: all do. Valid until the pass is over.
  std::span<const Index> lengths{};
  bool continues = false; ///< each example goes on where its predecessor in the pass before ended
};

/// What a layer's backward pass reads and writes.
template <class Scalar>
struct BackwardPass {
  std::span<const Scalar> parameters; ///< the model's whole block
  std::span<const Scalar> x;          ///< what came in; overwritten where the layer ran in place
  std::span<const Scalar> y;          ///< what went out; only where needs_output()
  std::span<const Scalar> dy;         ///< gradient of the loss w.r.t. y
  std::span<Scalar> dx;               ///< w.r.t. x, to be written; empty where nobody asks for it
  std::span<Scalar> gradient;         ///< w.r.t. the model's whole block; write this layer's part
  /// Where a layer may put products of that part instead of writing them, if they are made of x and
  /// dy, which then stay as they are; null: nothing may be left out.
  GradientProducts<Scalar>* left_out = nullptr;
};

/// One stage of a network: a function of its input and of its part of the model's block of
/// parameters.
///
/// Use: `connect` once, then begin, forward and backward for any batch. Shapes include the batch:
/// [any, ...]. A layer may keep what its backward pass needs from the forward pass before it, so an
/// instance serves one network.
template <class Scalar>
class Layer {
public:
  virtual ~Layer() = default;

  virtual std::string kind() const = 0; ///< "linear", "relu", ...

  /// Declares the parameters, named `prefix` + ".weight" and so on, in `layout`.
  /// @returns the output's shape.
  /// @throws std::invalid_argument where the input's shape does not suit.
  virtual Shape connect(const Shape& input, const std::string& prefix, Layout& layout) = 0;

  /// Draws this layer's parameters in the model's block; each from `key.derive(its name)`.
  virtual void initialize(std::span<Scalar> parameters, RandomKey key) const = 0;

  /// Says what the next passes are for; nothing said, they do not train.
  virtual void begin(const PassContext&) {}
  virtual void forward(std::span<const Scalar> parameters, std::span<const Scalar> x,
                       std::span<Scalar> y)
    = 0;
  virtual void backward(const BackwardPass<Scalar>& pass) = 0;

  /// True where x and y may be the same memory, and dy and dx as well.
  virtual bool in_place() const { return false; }
  /// False where backward does not read y: the next layer may then overwrite it.
  virtual bool needs_output() const { return true; }
  /// True where padding (PassContext::lengths) changes nothing at the places before it: the layer
  /// leaves it out, looks to the left only, or at each place by itself.
  virtual bool suits_padding() const { return false; }

  /// True where one number that is put out depends on several of the last size that comes in: such
  /// a layer, put on the tokens [any, length] themselves, mixes their places.
  virtual bool mixes_last_size() const { return false; }

  /// True where an example's output in training depends on the others of its batch.
  virtual bool mixes_examples() const { return false; }

  virtual std::unique_ptr<Layer> clone() const = 0;
};

/// A layer without parameters that maps each number by itself, in place; backward reads y.
template <class Scalar>
class ActivationLayer : public Layer<Scalar> {
public:
  Shape connect(const Shape& input, const std::string&, Layout&) override { return input; }
  void initialize(std::span<Scalar>, RandomKey) const override {}
  bool in_place() const override { return true; }
  bool suits_padding() const override { return true; }
};

/// The product of a shape's sizes but the first, the batch's.
/// @throws std::invalid_argument, in the name of `who`, where one of them is any_size.
Index known_width(const Shape& shape, const std::string& who);

} // namespace troupe
