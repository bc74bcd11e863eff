#pragma once

#include "model/layers/layer.hpp"
#include "model/layers/stage_summary.hpp"
#include "model/tensor/buffer.hpp"

#include <memory>
#include <string>
#include <vector>

namespace troupe {

/// Layers, one after the other, and the memory between them.
///
/// Runs layers in place where they can, keeps one array per remaining layer and two for gradients,
/// and lets them grow with the largest batch only.
template <class Scalar>
class Chain {
public:
  using Layers = std::vector<std::unique_ptr<Layer<Scalar>>>;

  Chain() = default;
  Chain(const Chain& other); ///< the same layers, with memory of its own

  /// Connects each layer to the one before; the layers' names are `prefix` + kind + number, like
  /// "linear0". Once.
  /// @returns the last one's output shape.
  /// @throws std::invalid_argument where a layer does not fit what comes.
  Shape connect(const Shape& input, const std::string& prefix, Layers layers, Layout& layout);

  /// Leaves out of backward the stages whose parameters all lie before `offset`, the first one in
  /// the block that is not frozen; a whole chain before it is left out.
  /// @returns where the parameters of the first stage that is left begin.
  Index train_from(Index offset);

  /// The kind of the first layer that padding does not suit (Layer::suits_padding), "" where it
  /// suits all.
  std::string unsuited_to_padding() const;

  /// The kind of the first layer that mixes the places of tokens [any, length], before another one
  /// has made [any, length, width] of them; "" where none does.
  std::string mixing_tokens() const;

  /// A layer and what it makes of which shape.
  struct Link {
    const Layer<Scalar>& layer;
    const std::string& name;
    const Shape &input, &output;
  };
  /// The layers in their order, as long as the chain lives.
  std::vector<Link> links() const;

  void initialize(std::span<Scalar> parameters, RandomKey key) const;
  void begin(const PassContext& context);

  /// True where one of the layers mixes the numbers of the last size.
  bool mixes_last_size() const;
  /// True where one of the layers mixes the examples of a batch.
  bool mixes_examples() const;
  /// A line for each layer.
  std::vector<StageSummary> stages() const;

  /// @returns the last layer's output, valid until the next call.
  std::span<const Scalar> forward(std::span<const Scalar> parameters, std::span<const Scalar> x);

  /// Where the gradient w.r.t. the output is to be written before backward: as long as the output.
  std::span<Scalar> output_gradient();

  /// @param x as in the forward pass before.
  /// @param passes_on whether the gradient w.r.t. x is wanted.
  /// @param left_out as in BackwardPass, for the layers of this chain; their x and dy are kept.
  /// @returns it, valid until the next call; empty where not wanted.
  std::span<const Scalar> backward(std::span<const Scalar> parameters, std::span<const Scalar> x,
                                   std::span<Scalar> gradient, bool passes_on,
                                   GradientProducts<Scalar>* left_out = nullptr);

private:
  /// A layer and where its output lies.
  struct Stage {
    std::unique_ptr<Layer<Scalar>> layer;
    std::string name;      ///< "linear0"
    Shape input, shape;    ///< of what comes in and what it puts out
    Index width = 0;       ///< numbers per example that it puts out
    Index parameters = 0;  ///< offset of the first of its own
    bool in_place = false; ///< writes over its input
    Buffer<Scalar> output; ///< empty where in place
  };

  void reserve(Index batch_size);
  /// Memory `number` of those between the stages.
  std::span<Scalar> between(std::size_t number, std::size_t size);
  /// The output of a stage: in the last stage up to it that does not run in place.
  std::span<const Scalar> output_of(std::size_t stage) const;

  std::vector<Stage> stages_;
  Index input_width_ = 0;
  Index parameters_end_ = 0; ///< offset behind the last stage's parameters
  std::size_t first_ = 0;    ///< stage before which nothing is trained
  Index batch_size_ = 0;     ///< of the last forward pass
  Index reserved_ = 0;       ///< largest batch seen
  /// Gradients w.r.t. a stage's output and its input, in turn; behind these two others, where some
  /// had to be kept for products that were left out.
  std::vector<Buffer<Scalar>> between_ = std::vector<Buffer<Scalar>>(2);
};

} // namespace troupe
