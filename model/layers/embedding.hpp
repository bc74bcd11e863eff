#pragma once

#include "model/layers/layer.hpp"

namespace troupe {

/// Looks up a row of a table for each token, y = E[x]. Bengio et al., "A neural probabilistic
/// language model", JMLR 3, 2003, section 2.
///
///   x  [any, length]           whole numbers 0 .. vocabulary - 1
///   y  [any, length, width]    E  [vocabulary, width]   "<prefix>.weight"
///
/// Forward throws std::invalid_argument for any other token. Tokens have no gradient: dx = 0.
/// Padding (PassContext::lengths) may hold anything; y is 0 there, and it adds to no gradient.
template <class Scalar>
class EmbeddingLayer : public Layer<Scalar> {
public:
  /// @param deviation standard deviation of the initial weights, which are normal with mean 0
  /// @throws std::invalid_argument for vocabulary or width < 1
  EmbeddingLayer(Index vocabulary, Index width, double deviation = 1);

  std::string kind() const override { return "embedding"; }
  Shape connect(const Shape& input, const std::string& prefix, Layout& layout) override;
  void initialize(std::span<Scalar> parameters, RandomKey key) const override;
  void begin(const PassContext& context) override { lengths_ = context.lengths; }
  void forward(std::span<const Scalar> parameters, std::span<const Scalar> x,
               std::span<Scalar> y) override;
  void backward(const BackwardPass<Scalar>& pass) override;
  bool needs_output() const override { return false; }
  bool supports_padding() const override { return true; }
  std::unique_ptr<Layer<Scalar>> clone() const override;

private:
  Index row(Scalar token) const;            ///< offset of the token's row in the table
  bool is_padding(std::size_t token) const; ///< of the batch's tokens, by index

  Index vocabulary_, width_;
  Index length_ = 0;
  std::span<const Index> lengths_; ///< of the current pass, see PassContext
  double deviation_;
  std::string prefix_;
  Index weight_ = 0; ///< offset in the block
};

} // namespace troupe
