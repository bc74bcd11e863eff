#pragma once

#include "model/tensor/layout.hpp"

#include <map>
#include <span>
#include <string>
#include <vector>

namespace troupe {

/// Parameters that share the numbers of another one: from a parameter's name to the name of the one
/// it shares, with "^T" appended if it is the transpose of the other's first rows:
///
///   linear1.weight [8, 8] : linear0.weight [8, 8]               the same numbers
///   linear0.weight [width, n] : embedding0.weight^T [m, width]  its first n <= m rows, as columns
using Shares = std::map<std::string, std::string>;

/// Lets layers work on a whole block, in which each has its own parameters, while optimizers,
/// checkpoints and other nodes see a block in which shared numbers occur once.
///
/// Press & Wolf, "Using the output embedding to improve language models", EACL 2017: one table for
/// input and output words.
class ParameterSharing {
public:
  ParameterSharing() = default; ///< nothing is shared

  /// @param whole as the layers were connected
  /// @throws std::invalid_argument for unknown names, shapes that do not fit, a parameter that is
  ///         shared twice, and statistics, which are measured and not learned
  ParameterSharing(const Layout& whole, Shares shares);

  const Shares& shares() const { return shares_; }
  const Layout& layout() const { return layout_; } ///< of the block with shared numbers once
  /// The whole block's layout, with each parameter frozen where its source in `layout` is.
  Layout whole_with_roles(const Layout& layout) const;

  /// The offset in the block that corresponds to an offset in the whole block.
  Index block_offset(Index whole_offset) const;

  /// Writes the whole block.
  template <class Scalar>
  void expand(std::span<const Scalar> block, std::span<Scalar> whole) const;
  /// Writes the block; shared numbers come from their owner.
  template <class Scalar>
  void gather(std::span<const Scalar> whole, std::span<Scalar> block) const;
  /// Writes the gradient w.r.t. the block: the sum over all parameters that share a number.
  template <class Scalar>
  void fold(std::span<const Scalar> whole_gradient, std::span<Scalar> gradient) const;

private:
  struct Piece {            // of the whole block
    Index at = 0, from = 0; // offsets in the whole block and in the block
    Index size = 0;
    Index columns = 0; // of a transposed one, else 0
    bool shared = false;
  };
  static Index source(const Piece& piece, Index i);

  Shares shares_;
  Layout whole_, layout_;
  std::vector<Piece> pieces_;
};

} // namespace troupe
