#include "model/layers/layer.hpp"

#include <stdexcept>

namespace troupe {

Index known_width(const Shape& shape, const std::string& who) {
  Index width = 1;
  for (std::size_t i = 1; i < shape.size(); ++i) {
    if (shape[i] <= 0)
      throw std::invalid_argument(who + " cannot work on the shape " + to_string(shape)
                                  + "; every size but the batch's must be known");
    width *= shape[i];
  }
  return width;
}

} // namespace troupe
