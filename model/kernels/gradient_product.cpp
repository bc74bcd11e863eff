#include "model/kernels/gradient_product.hpp"

#include "model/tensor/streamed.hpp"

namespace troupe {

bool worth_deferring(Index examples, Index inputs, Index outputs) {
  return examples < inputs && inputs * outputs >= streamed_from;
}

} // namespace troupe
