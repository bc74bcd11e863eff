#pragma once

#include "model/layers/layer.hpp"
#include "model/layers/stage_summary.hpp"
#include "model/tensor/buffer.hpp"

#include <array>
#include <memory>
#include <string>
#include <vector>

namespace troupe {

/// A sequence of layers, and the memory between them.
///
/// Runs layers in place where possible. In training it keeps one array for each other layer, and
/// uses two for gradients; a pass that no backward pass follows needs only these two, alternately.
/// They grow with the largest batch only.
template <class Scalar>
class Chain {
public:
  using Layers = std::vector<std::unique_ptr<Layer<Scalar>>>;

  Chain() = default;
  Chain(const Chain& other); ///< the same layers, with their own memory

  /// Connects each layer to the one before it; layers are named `prefix` + kind + number, like
  /// "linear0". Call it once.
  /// @returns the output shape of the last layer
  /// @throws std::invalid_argument if a layer does not fit its input
  Shape connect(const Shape& input, const std::string& prefix, Layers layers, Layout& layout);

  /// Skips the stages whose parameters all lie before `offset`, the first offset that is not
  /// frozen, in backward; that may be the whole chain.
  /// @returns the offset of the first stage that is not skipped
  Index train_from(Index offset);

  /// The kind of the first layer that does not support padding (Layer::supports_padding), "" if
  /// all do.
  std::string kind_without_padding_support() const;

  /// The kind of the first layer that mixes the positions of tokens [any, length] before another
  /// layer has made [any, length, width] of them; "" if none does.
  std::string kind_mixing_tokens() const;

  /// A layer with its name and shapes.
  struct Link {
    const Layer<Scalar>& layer;
    const std::string& name;
    const Shape &input, &output;
  };
  /// The layers in order; valid while the chain lives.
  std::vector<Link> links() const;

  void initialize(std::span<Scalar> parameters, RandomKey key) const;
  void begin(const PassContext& context);

  /// True if one of the layers mixes the numbers of the last dimension.
  bool mixes_last_size() const;
  /// True if one of the layers mixes the examples of a batch.
  bool mixes_examples() const;
  /// A line for each layer.
  std::vector<StageSummary> stages() const;

  /// @returns the last layer's output, valid until the next call
  std::span<const Scalar> forward(std::span<const Scalar> parameters, std::span<const Scalar> x);

  /// The memory to which the caller writes the gradient of the output before backward; as long as
  /// the output. To be called once after each forward pass.
  std::span<Scalar> output_gradient();

  /// @param x as in the preceding forward pass
  /// @param passes_on whether to compute the gradient of x
  /// @param deferred as in BackwardPass, for the layers of this chain; their x and dy are kept
  /// @returns the gradient of x, valid until the next call; empty if `passes_on` is false
  std::span<const Scalar> backward(std::span<const Scalar> parameters, std::span<const Scalar> x,
                                   std::span<Scalar> gradient, bool passes_on,
                                   GradientProducts<Scalar>* deferred = nullptr);

private:
  /// A layer and its output.
  struct Stage {
    std::unique_ptr<Layer<Scalar>> layer;
    std::string name;         ///< "linear0"
    Shape input, shape;       ///< input and output shape
    Index width = 0;          ///< numbers per example in the output
    Index parameters = 0;     ///< offset of its first parameter
    bool in_place = false;    ///< writes over its input
    bool done_before = false; ///< a relu that the stage before applies (Rectifying)
    Buffer<Scalar> output;    ///< empty if in place
  };

  void reserve(Index batch_size);
  void take_between(Scratch* scratch);
  /// The output of a stage: in the last stage up to it that does not run in place.
  std::span<const Scalar> output_of(std::size_t stage) const;

  std::vector<Stage> stages_;
  Index input_width_ = 0;
  Index parameters_end_ = 0; ///< offset after the last stage's parameters
  std::size_t first_ = 0;    ///< first stage that is trained
  Index batch_size_ = 0;     ///< of the last forward pass
  Index reserved_ = 0;       ///< largest batch seen
  PassContext context_;
  /// The gradients of a stage's output and its input, alternating; the outputs themselves in a pass
  /// that no backward pass follows.
  std::array<PassArray<Scalar>, 2> between_;
  std::vector<PassArray<Scalar>> more_; ///< where deferred products keep some gradients
};

} // namespace troupe
