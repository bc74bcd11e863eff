#pragma once

#include "model/layers/linear.hpp"
#include "model/tensor/buffer.hpp"

namespace troupe {

struct AttentionOptions {
  Index heads = 1;     ///< a divisor of the width
  bool causal = false; ///< each position sees itself and those to its left only
  std::string initializer = "xavier_uniform"; ///< see initializers.hpp
  FIELDS(heads, causal, initializer);
};

/// Scaled dot-product self-attention with several heads, each of d = width / heads numbers:
///
///   [Q K V] = x W + b
///   P = softmax(Q K' / sqrt(d)) in each row
///   y = [P V of all heads] O + a
///
///   x, y  [any, length, width]     W  [width, 3 width]   "<prefix>.query_key_value.weight"
///                                  b  [3 width]          "<prefix>.query_key_value.bias"
///                                  O  [width, width]     "<prefix>.output.weight"
///                                  a  [width]            "<prefix>.output.bias"
///
/// Vaswani et al., "Attention is all you need", arXiv:1706.03762, eq. 1 and section 3.2.2.
template <class Scalar>
class MultiHeadAttentionLayer : public Layer<Scalar> {
public:
  /// @throws std::invalid_argument for heads < 1 or an unknown initializer
  explicit MultiHeadAttentionLayer(AttentionOptions options = {});

  std::string kind() const override { return "multi_head_attention"; }
  Shape connect(const Shape& input, const std::string& prefix, Layout& layout) override;
  void initialize(std::span<Scalar> parameters, RandomKey key) const override;
  void forward(std::span<const Scalar> parameters, std::span<const Scalar> x,
               std::span<Scalar> y) override;
  void backward(const BackwardPass<Scalar>& pass) override;
  bool needs_output() const override { return false; }
  bool supports_padding() const override { return options_.causal; }
  std::unique_ptr<Layer<Scalar>> clone() const override;

  const AttentionOptions& options() const { return options_; }

private:
  Index head_width() const { return width_ / options_.heads; }
  void attend(Index example, Index head);
  void attend_backward(Index example, Index head, const Scalar* mixed_gradient);
  void softmax(Scalar* scores) const;
  void softmax_back(const Scalar* p, Scalar* dp) const;

  AttentionOptions options_;
  Index length_ = 0, width_ = 0;
  std::vector<LinearLayer<Scalar>> projections_; ///< once connected: to Q, K and V; to y
  Buffer<Scalar> projected_;                     ///< [batch, length, 3 width]
  Buffer<Scalar> probabilities_;                 ///< P, [batch, heads, length, length]
  Buffer<Scalar> mixed_;                         ///< P V of all heads, [batch, length, width]
  Buffer<Scalar> mixed_gradient_, projected_gradient_;
  Buffer<Scalar> score_gradient_; ///< of one head, [length, length]
};

} // namespace troupe
