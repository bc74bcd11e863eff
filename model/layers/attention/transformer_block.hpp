#pragma once

#include "model/layers/attention/multi_head_attention.hpp"
#include "model/layers/gelu.hpp"
#include "model/layers/layer_norm.hpp"

namespace troupe {

struct TransformerOptions {
  Index heads = 4;     ///< a divisor of the width
  Index mlp_width = 0; ///< width of the perceptron's hidden layer; 0: four times the width
  bool causal = true;  ///< each position sees itself and those to its left only
  std::string initializer = "xavier_uniform"; ///< see initializers.hpp
  TROUPE_FIELDS(heads, mlp_width, causal, initializer);
};

/// A transformer block with normalization before each sublayer:
///
///   a = x + attention(norm1(x))     y = a + mlp2(gelu(mlp1(norm2(a))))
///
///   x, y  [any, length, width]      parameters as layer_norm's, multi_head_attention's and
///                                   linear's: "<prefix>.norm1.weight", "<prefix>.attention.output.
///                                   weight", "<prefix>.mlp1.weight", ...
///
/// Radford et al., "Language models are unsupervised multitask learners", 2019, section 2.3; Xiong
/// et al., "On layer normalization in the transformer architecture", arXiv:2002.04745, figure 1b.
template <class Scalar>
class TransformerBlock : public Layer<Scalar> {
public:
  /// @throws std::invalid_argument for heads < 1, mlp_width < 0 or an unknown initializer
  explicit TransformerBlock(TransformerOptions options = {});

  std::string kind() const override { return "transformer_block"; }
  Shape connect(const Shape& input, const std::string& prefix, Layout& layout) override;
  void initialize(std::span<Scalar> parameters, RandomKey key) const override;
  void begin(const PassContext& context) override;
  void forward(std::span<const Scalar> parameters, std::span<const Scalar> x,
               std::span<Scalar> y) override;
  void backward(const BackwardPass<Scalar>& pass) override;
  bool needs_output() const override { return false; }
  bool supports_padding() const override { return options_.causal; }
  std::unique_ptr<Layer<Scalar>> clone() const override;

  const LayerNormLayer<Scalar>& norm1() const { return norm1_; }
  const LayerNormLayer<Scalar>& norm2() const { return norm2_; }
  const MultiHeadAttentionLayer<Scalar>& attention() const { return attention_; }

private:
  TransformerOptions options_;
  Index width_ = 0, mlp_width_ = 0;
  LayerNormLayer<Scalar> norm1_, norm2_;
  MultiHeadAttentionLayer<Scalar> attention_;
  GeluLayer<Scalar> gelu_;
  std::vector<LinearLayer<Scalar>> mlp_; ///< two, once connected
  PassContext context_;
  PassArray<Scalar> normalized1_, normalized2_; ///< [batch, length, width]
  PassArray<Scalar> attended_;                  ///< a, [batch, length, width]
  PassArray<Scalar> expanded_, activated_;      ///< before and after gelu, [.., mlp_width]
  PassArray<Scalar> gradient_, attended_gradient_;
  PassArray<Scalar> expanded_gradient_, activated_gradient_;
};

} // namespace troupe
