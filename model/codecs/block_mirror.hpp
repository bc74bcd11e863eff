#pragma once

#include "model/codecs/wire_format.hpp"
#include "model/tensor/block.hpp"

namespace troupe {

/// The format of an answer's difference if pushes use `asked`. It has the changes of all workers, so
/// top_k keeps twice as many elements as of one worker's.
WireOptions difference_format(const WireOptions& asked);

/// What a receiver has of a sender's changing values. Both ends keep it and move it alike, so that
/// only encoded differences cross the network:
///
///   d = values - mirror      sent = decode(encode(d))      mirror <- mirror + sent
///
/// What the format leaves out stays part of the next difference: once the values rest, the mirror
/// converges to them. Both ends have the same bits on any machine. Meant for values that are
/// replaced, such as parameters; for values that are summed there is ErrorFeedback.
///
/// Tang et al., "DoubleSqueeze: parallel stochastic gradient descent with double-pass
/// error-compensated compression", ICML 2019, Algorithm 1, arXiv:1905.05957.
class BlockMirror {
public:
  /// @param block what the receiver has
  explicit BlockMirror(Block block = {}) : block_(std::move(block)) {}

  /// What the receiver has.
  const Block& block() const { return block_; }

  /// Of the sender: encodes the difference to `values`, and adds what arrives of it.
  /// @returns "", or why nothing can be encoded: the reason of `encode` in wire_format.hpp, or
  ///          values of another size. The mirror is then unchanged.
  [[nodiscard]] std::string encode(const WireOptions& options, const Block& values,
                                   std::vector<std::byte>& out);

  /// Of the receiver: adds a decoded difference. @pre as long as the block
  void add(std::span<const float> difference);

private:
  Block block_;
  Buffer<float> difference_; ///< a member to reuse its memory
};

} // namespace troupe
