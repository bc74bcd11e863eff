#include "troupe/model/gradient_product.hpp"

#include "troupe/model/streamed.hpp"

namespace troupe {

bool worth_leaving_out(Index examples, Index inputs, Index outputs) {
  return examples < inputs && inputs * outputs >= streamed_from;
}

} // namespace troupe
