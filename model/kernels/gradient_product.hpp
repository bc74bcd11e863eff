#pragma once

#include "model/kernels/product.hpp"
#include "model/kernels/product_scope.hpp"

#include <vector>

namespace troupe {

/// A part of a gradient as a product that is not computed yet: for weights [inputs, outputs] it is
/// the layer's input times the gradient of its output, both of which the model keeps until its next
/// pass.
template <class Scalar>
struct GradientProduct {
  Index begin = 0; ///< offset of the weights in the model's block
  Factor<Scalar> left, right;
  Products products = Products::library; ///< which kernels compute it

  Index rows() const { return left.transposed ? left.columns : left.rows; }
  Index columns() const { return right.transposed ? right.rows : right.columns; }
  Index size() const { return rows() * columns(); }
};

template <class Scalar>
using GradientProducts = std::vector<GradientProduct<Scalar>>;

/// True if deferring the gradient of weights [inputs, outputs] pays: it is larger than a core's
/// caches, and larger than its two factors, which have to be kept for it.
bool worth_deferring(Index examples, Index inputs, Index outputs);

} // namespace troupe
