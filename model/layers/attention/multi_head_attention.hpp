#pragma once

#include "model/layers/linear.hpp"
#include "model/tensor/buffer.hpp"

namespace troupe {

struct AttentionOptions {
  Index heads = 1;     ///< a divisor of the width
  bool causal = false; ///< each position sees itself and those to its left only
  std::string initializer = "xavier_uniform"; ///< see initializers.hpp
  TROUPE_FIELDS(heads, causal, initializer);
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
/// Vaswani et al., "Attention is all you need", arXiv:1706.03762, eq. 1 and section 3.2.2. P is
/// computed for a strip of positions at a time, of a causal layer only as far as they see, and for
/// long sequences once more in backward: Dao et al., "FlashAttention", arXiv:2205.14135, section 3.1.
template <class Scalar>
class MultiHeadAttentionLayer : public Layer<Scalar> {
public:
  /// @throws std::invalid_argument for heads < 1 or an unknown initializer
  explicit MultiHeadAttentionLayer(AttentionOptions options = {});

  std::string kind() const override { return "multi_head_attention"; }
  Shape connect(const Shape& input, const std::string& prefix, Layout& layout) override;
  void initialize(std::span<Scalar> parameters, RandomKey key) const override;
  void begin(const PassContext& context) override { context_ = context; }
  void forward(std::span<const Scalar> parameters, std::span<const Scalar> x,
               std::span<Scalar> y) override;
  void backward(const BackwardPass<Scalar>& pass) override;
  bool needs_output() const override { return false; }
  bool supports_padding() const override { return options_.causal; }
  std::unique_ptr<Layer<Scalar>> clone() const override;

  const AttentionOptions& options() const { return options_; }

private:
  /// Some adjacent positions whose scores are computed together.
  struct Strip {
    Index example, head;
    Index first, rows; ///< of the positions
    Index seen;        ///< positions that one of them sees, from the first on
  };

  Index head_width() const { return width_ / options_.heads; }
  bool keeps() const;
  template <class Function>
  void each_strip(Index example, Index head, Function function) const;
  Factor<Scalar> projected(Index part, Index example, Index head, Index first, Index rows) const;
  Result<Scalar> projected_gradient(Index part, Index example, Index head, Index first, Index rows);
  Index mixed_at(const Strip& strip) const;
  Factor<Scalar> probabilities(const Strip& strip, bool again);
  void attend(const Strip& strip);
  void attend_backward(const Strip& strip, const Scalar* mixed_gradient, WriteMode write);

  AttentionOptions options_;
  Index length_ = 0, width_ = 0;
  std::vector<LinearLayer<Scalar>> projections_; ///< once connected: to Q, K and V; to y
  PassContext context_;
  PassArray<Scalar> projected_;      ///< [batch, length, 3 width]
  PassArray<Scalar> mixed_;          ///< P V of all heads, [batch, length, width]
  PassArray<Scalar> largest_, sums_; ///< of each row of the scores, [batch, heads, length]
  PassArray<Scalar> mixed_gradient_, projected_gradient_;
  PassArray<Scalar> scores_;         ///< P of a strip, or of all strips where it is kept
  PassArray<Scalar> score_gradient_; ///< of a strip
};

} // namespace troupe
