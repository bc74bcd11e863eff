#pragma once

#include "model/codecs/wire_format.hpp"
#include "model/tensor/block.hpp"

namespace troupe {

/// Keeps what a lossy format leaves out and adds it to the next message, so that it arrives late
/// instead of never: without it, elements that top_k skips or bfloat16 rounds away are lost.
///
///   p = values + residual        sent = decode(encode(p))        residual <- p - sent
///
/// What was sent plus the residual equals the sum of all values, up to rounding in float32. Meant
/// for values that are summed, such as gradients and differences, not for parameters. Each sender
/// has its own; use it from one thread at a time.
///
/// Seide et al., "1-Bit Stochastic Gradient Descent", Interspeech 2014, section 2; Stich et al.,
/// "Sparsified SGD with Memory", NeurIPS 2018, Algorithm 1, arXiv:1809.07599.
class ErrorFeedback {
public:
  explicit ErrorFeedback(Index size = 0); ///< elements of each block; the residual starts at 0

  /// Encodes `values` plus the residual and stores what the encoding leaves out. An element that
  /// arrives as NaN or infinity (because it was, or overflowed float16) gets residual 0: otherwise
  /// it would stay forever.
  /// @returns "", or why nothing can be encoded: the reason of `encode` in wire_format.hpp, or a
  ///          size other than the residual's. The residual is then unchanged.
  [[nodiscard]] std::string encode(const WireOptions& options, std::span<const float> values,
                                   std::vector<std::byte>& out);

  /// Returns the residual and clears it: for a last, exact message, or a change of model.
  Block flush();

  const Block& residual() const { return residual_; }
  /// Continues from a saved residual; its size becomes the size of each block.
  void restore(Block residual) { residual_ = std::move(residual); }

private:
  Block residual_;
  Buffer<float> sum_; ///< p; a member to reuse its memory
};

/// What is sent when nothing may be left out any more: values + residual, of equal sizes; an empty
/// residual adds nothing.
Block with_residual(const Block& values, const Block& residual);

} // namespace troupe
