#pragma once

#include "model/tensor/layout.hpp"

#include <map>
#include <span>
#include <string>
#include <vector>

namespace troupe {

/// Which parameter of a network is another one: from its name to the other's, with "^T" behind it
/// where it is the other's first columns, transposed:
///
///   linear1.weight [8, 8] : linear0.weight [8, 8]               the same numbers
///   linear0.weight [width, n] : embedding0.weight^T [m, width]  its first n <= m rows, as columns
using Shares = std::map<std::string, std::string>;

/// Lets layers work on a block in which each has parameters of its own, the whole one, while
/// optimizers, checkpoints and other nodes see a block in which what is shared lies once.
///
/// Press & Wolf, "Using the output embedding to improve language models", EACL 2017: one table for
/// the words that come in and those that are predicted.
class ParameterSharing {
public:
  ParameterSharing() = default; ///< nothing is shared

  /// @param whole as the layers were connected
  /// @throws std::invalid_argument for names that are not there, shapes that do not fit, a
  /// parameter that is shared twice over, and statistics, which are measured and not learned.
  ParameterSharing(const Layout& whole, Shares shares);

  const Shares& shares() const { return shares_; }
  const Layout& layout() const { return layout_; } ///< of the block without what is shared
  /// The whole block's layout, each parameter frozen where the one in `layout` is that it is.
  Layout whole_with_roles(const Layout& layout) const;

  /// The offset in the block of what the parameters from an offset of the whole one on have there.
  Index block_offset(Index whole_offset) const;

  /// Writes the whole block.
  template <class Scalar>
  void expand(std::span<const Scalar> block, std::span<Scalar> whole) const;
  /// Writes the block; what is shared comes from where it lies.
  template <class Scalar>
  void gather(std::span<const Scalar> whole, std::span<Scalar> block) const;
  /// Writes the gradient w.r.t. the block: the sum of those of all that use a parameter.
  template <class Scalar>
  void fold(std::span<const Scalar> whole_gradient, std::span<Scalar> gradient) const;

private:
  struct Piece {            // of the whole block
    Index at = 0, from = 0; // offset in the whole block, and in the other
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
