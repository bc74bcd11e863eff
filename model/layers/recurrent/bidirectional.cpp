#include "model/layers/recurrent/bidirectional.hpp"

#include <stdexcept>

namespace troupe {

RecurrentOptions backwards(RecurrentOptions options) {
  if (options.reverse)
    throw std::invalid_argument(
      "a bidirectional layer already reads in both directions; set reverse to false");
  if (options.carry > 0)
    throw std::invalid_argument("a bidirectional layer cannot carry its state, because it would "
                                "need later batches; remove carry or bidirectional");
  options.reverse = true;
  return options;
}

} // namespace troupe
