#pragma once

#include "model/layers/recurrent/recurrent.hpp"

namespace troupe {

/// Gated recurrent unit, with PyTorch's gates and their order r, z, n:
///
///   r = sigmoid(x W_r + h U_r + b_r)            z = sigmoid(x W_z + h U_z + b_z)
///   n = tanh(x W_n + b_n + r (h U_n + u))       h <- (1 - z) n + z h
///
/// h starts at 0. Cho et al., "Learning phrase representations using RNN encoder-decoder for
/// statistical machine translation", arXiv:1406.1078, with r applied after the product as in cuDNN.
/// Shapes and parameters: recurrent.hpp, and u [hidden], "<prefix>.hidden_bias". b_r and b_z are
/// the sums of PyTorch's two biases, b_n and u its two biases of n.
template <class Scalar>
class GruLayer : public RecurrentLayer<Scalar> {
public:
  /// @throws std::invalid_argument for hidden < 1 or an unknown initializer
  explicit GruLayer(Index hidden, RecurrentOptions options = {});

  std::string kind() const override { return "gru"; }
  Shape connect(const Shape& input, const std::string& prefix, Layout& layout) override;
  void initialize(std::span<Scalar> parameters, RandomKey key) const override;
  void backward(const BackwardPass<Scalar>& pass) override;
  std::unique_ptr<Layer<Scalar>> clone() const override;

private:
  void prepare(std::span<const Scalar> parameters) override;
  void step(std::span<const Scalar> parameters, Index step) override;
  void step_backward(Index step, Scalar* dh) override;
  Scalar* hidden_product(Index step) override {
    return product_.data()
           + this->slot(step) * this->batch() * static_cast<Index>(this->gates_width());
  }
  const Scalar* hidden_gradient(Index step) override {
    return this->in_stretch(product_gradient_, step);
  }

  std::string initializer_, prefix_;
  Index hidden_bias_ = 0;               ///< offset in the block
  Buffer<Scalar> product_;              ///< h U, then plus u, [length, batch, 3 * hidden]
  Buffer<Scalar> product_gradient_;     ///< [stretch, batch, 3 * hidden]
  Buffer<Scalar> hidden_bias_gradient_; ///< [hidden]
};

} // namespace troupe
