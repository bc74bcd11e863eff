#pragma once

#include "model/layers/array.hpp"
#include "model/layers/recurrent/recurrent.hpp"
#include "model/layers/sequence.hpp"
#include "model/tensor/buffer.hpp"

#include <algorithm>
#include <array>

namespace troupe {

/// The options of the layer that reads from right to left. @throws std::invalid_argument
RecurrentOptions backwards(RecurrentOptions options);

/// Two recurrent layers of the same kind side by side: one reads from left to right, the other from
/// right to left. Schuster & Paliwal, "Bidirectional recurrent neural networks", IEEE Transactions
/// on Signal Processing 45 (11), 1997.
///
///   x  [any, length, inputs]
///   y  [any, length, 2 hidden], or [any, 2 hidden] if `last` is set: the output of the first
///      layer, then that of the second, as in PyTorch
///
/// Parameters: those of both, "<prefix>.forward.weight", "<prefix>.backward.weight", ... The last
/// state of the second layer is the one at the left end. Both skip padding.
template <class Recurrent>
class BidirectionalLayer : public Layer<typename Recurrent::Number> {
public:
  using Scalar = typename Recurrent::Number;

  /// @param options of both layers; `reverse` must be false
  /// @throws std::invalid_argument for options out of range
  BidirectionalLayer(Index hidden, const RecurrentOptions& options);

  std::string kind() const override { return directions_[0].kind(); }
  Shape connect(const Shape& input, const std::string& prefix, Layout& layout) override;
  void initialize(std::span<Scalar> parameters, RandomKey key) const override;
  void begin(const PassContext& context) override;
  void forward(std::span<const Scalar> parameters, std::span<const Scalar> x,
               std::span<Scalar> y) override;
  void backward(const BackwardPass<Scalar>& pass) override;
  bool needs_output() const override { return false; }
  bool supports_padding() const override { return true; }
  std::unique_ptr<Layer<Scalar>> clone() const override;

private:
  std::array<Recurrent, 2> directions_; ///< left to right, right to left
  Index hidden_;
  Buffer<Scalar> half_;           ///< y or dy of one direction
  Buffer<Scalar> input_gradient_; ///< dx of the second
};

template <class Recurrent>
BidirectionalLayer<Recurrent>::BidirectionalLayer(Index hidden, const RecurrentOptions& options)
  : directions_{Recurrent{hidden, options}, Recurrent{hidden, backwards(options)}},
    hidden_(hidden) {}

template <class Recurrent>
Shape BidirectionalLayer<Recurrent>::connect(const Shape& input, const std::string& prefix,
                                             Layout& layout) {
  auto output = directions_[0].connect(input, prefix + ".forward", layout);
  directions_[1].connect(input, prefix + ".backward", layout);
  output.back() = 2 * hidden_;
  return output;
}

template <class Recurrent>
void BidirectionalLayer<Recurrent>::initialize(std::span<Scalar> parameters, RandomKey key) const {
  for (const auto& direction : directions_)
    direction.initialize(parameters, key);
}

template <class Recurrent>
void BidirectionalLayer<Recurrent>::begin(const PassContext& context) {
  for (auto& direction : directions_)
    direction.begin(context);
}

template <class Recurrent>
void BidirectionalLayer<Recurrent>::forward(std::span<const Scalar> parameters,
                                            std::span<const Scalar> x, std::span<Scalar> y) {
  const auto half = std::span{grown(half_, static_cast<Index>(y.size()) / 2), y.size() / 2};
  auto* to = y.data();
  for (auto& direction : directions_) {
    direction.forward(parameters, x, half);
    for (Index i = 0; i < static_cast<Index>(half.size()); i += hidden_)
      std::copy_n(half.data() + i, hidden_, to + 2 * i);
    to += hidden_;
  }
}

template <class Recurrent>
void BidirectionalLayer<Recurrent>::backward(const BackwardPass<Scalar>& pass) {
  const auto size = pass.dy.size() / 2;
  const auto half = std::span{grown(half_, static_cast<Index>(size)), size};
  const std::span<Scalar> second{grown(input_gradient_, static_cast<Index>(pass.dx.size())),
                                 pass.dx.size()};
  const auto* from = pass.dy.data();
  for (std::size_t d = 0; d < directions_.size(); ++d, from += hidden_) {
    for (Index i = 0; i < static_cast<Index>(size); i += hidden_)
      std::copy_n(from + 2 * i, hidden_, half.data() + i);
    directions_[d].backward({.parameters = pass.parameters,
                             .x = pass.x,
                             .y = {},
                             .dy = half,
                             .dx = d == 0 ? pass.dx : second,
                             .gradient = pass.gradient});
  }
  array(pass.dx) += array(second);
}

template <class Recurrent>
std::unique_ptr<Layer<typename Recurrent::Number>> BidirectionalLayer<Recurrent>::clone() const {
  return std::make_unique<BidirectionalLayer>(*this);
}

} // namespace troupe
