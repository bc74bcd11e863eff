#pragma once

#include "model/codecs/wire_format.hpp"
#include "model/tensor/block.hpp"

namespace troupe {

/// Keeps what a lossy format leaves out and adds it to what is sent next, so that nothing is lost,
/// only late: without it, whatever top_k passes over or bfloat16 rounds away never arrives.
///
///   p = values + residual        sent = decode(encode(p))        residual <- p - sent
///
/// The sum of all that was sent, and the residual, is the sum of all values, to the roundings of
/// float32. Meant for sums such as gradients and differences; parameters themselves have no use for
/// it. One sender has one; one thread at a time.
///
/// Seide et al., "1-Bit Stochastic Gradient Descent", Interspeech 2014, section 2; Stich et al.,
/// "Sparsified SGD with Memory", NeurIPS 2018, Algorithm 1, arXiv:1809.07599.
class ErrorFeedback {
public:
  explicit ErrorFeedback(Index size = 0); ///< elements of each block; nothing left out so far

  /// Encodes `values` and the residual, and keeps what that leaves out. An element that arrives as
  /// NaN or infinity (it was, or overflowed float16) leaves residual 0: it would not leave again.
  /// @returns "", or why nothing can be encoded, as `encode` of wire_format.hpp says it, or because
  ///          `values` are more or fewer than the residual; the residual is as it was then.
  [[nodiscard]] std::string encode(const WireOptions& options, std::span<const float> values,
                                   std::vector<std::byte>& out);

  /// Gives what was left out so far and forgets it: the last, exact message, or a change of model.
  Block flush();

  const Block& residual() const { return residual_; }
  /// Goes on from a residual that was saved; its size becomes the size of each block.
  void restore(Block residual) { residual_ = std::move(residual); }

private:
  Block residual_;
  Buffer<float> sum_; ///< p; kept for its memory
};

/// What is sent where nothing more is to be left out: values + residual, of equal sizes; an empty
/// residual adds nothing.
Block with_residual(const Block& values, const Block& residual);

} // namespace troupe
