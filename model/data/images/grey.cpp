#include "model/data/images/grey.hpp"

namespace troupe {

void grey_to_float(const std::uint8_t* grey, std::size_t size, float* out) {
  for (std::size_t i = 0; i < size; ++i)
    out[i] = static_cast<float>(grey[i]) / 255.f;
}

} // namespace troupe
