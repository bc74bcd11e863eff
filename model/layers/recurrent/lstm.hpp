#pragma once

#include "model/layers/recurrent/recurrent.hpp"

namespace troupe {

/// Long short-term memory, with PyTorch's gates and their order i, f, g, o:
///
///   [i f g o] = x W + h U + b     i, f, o <- sigmoid, g <- tanh
///   c <- f c + i g                h <- o tanh(c)
///
/// h and c start at 0, or at the carried state ("<prefix>.carried_cell"). Hochreiter & Schmidhuber,
/// Neural Computation 9 (8), 1997; with the forget gate of Gers, Schmidhuber & Cummins, Neural
/// Computation 12 (10), 2000. Shapes and parameters: recurrent.hpp; b is the sum of PyTorch's two
/// biases.
template <class Scalar>
class LstmLayer : public RecurrentLayer<Scalar> {
public:
  /// @throws std::invalid_argument for hidden < 1 or an unknown initializer
  explicit LstmLayer(Index hidden, RecurrentOptions options = {});

  std::string kind() const override { return "lstm"; }
  Shape connect(const Shape& input, const std::string& prefix, Layout& layout) override;
  void initialize(std::span<Scalar> parameters, RandomKey key) const override;
  void backward(const BackwardPass<Scalar>& pass) override;
  std::unique_ptr<Layer<Scalar>> clone() const override;

private:
  void prepare(std::span<const Scalar> parameters) override;
  void step(std::span<const Scalar> parameters, Index step) override;
  void keep(Index step, Index example) override;
  void step_backward(Index step, Scalar* dh) override;

  Index carried_cell_ = 0;       ///< offset in the block
  Buffer<Scalar> cell_;          ///< c before each step and after the last, [length + 1, b, hidden]
  Buffer<Scalar> cell_gradient_; ///< of the current step, [batch, hidden]
};

} // namespace troupe
