#pragma once

#include "model/kernels/product.hpp"
#include "model/kernels/product_scope.hpp"

#include <vector>

namespace troupe {

/// A part of a gradient as the product that it is, not made yet: of weights [inputs, outputs] the
/// layer's input times what came back to it, both where the model keeps them until its next pass.
template <class Scalar>
struct GradientProduct {
  Index begin = 0; ///< offset of the weights in the model's block
  Factor<Scalar> left, right;
  Products products = Products::library; ///< what is to make it

  Index rows() const { return left.transposed ? left.columns : left.rows; }
  Index columns() const { return right.transposed ? right.rows : right.columns; }
  Index size() const { return rows() * columns(); }
};

template <class Scalar>
using GradientProducts = std::vector<GradientProduct<Scalar>>;

/// Whether it pays to leave out the gradient of weights [inputs, outputs]: it is larger than a
/// core's caches, and larger than what it is made of, which has to be kept for it.
bool worth_leaving_out(Index examples, Index inputs, Index outputs);

} // namespace troupe
