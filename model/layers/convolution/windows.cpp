#include "model/layers/convolution/windows.hpp"

#include "model/layers/checks.hpp"
#include "model/layers/layer.hpp"

#include <stdexcept>

namespace troupe {

void WindowAxis::check(const std::string& who) const {
  if (kernel < 1 || stride < 1 || dilation < 1 || padding < 0)
    throw std::invalid_argument(who + " has the kernel " + std::to_string(kernel) + ", stride "
                                + std::to_string(stride) + ", dilation " + std::to_string(dilation)
                                + " and padding " + std::to_string(padding)
                                + "; the padding must be 0 or more, the others 1 or more");
  if (reach() > length + 2 * padding)
    throw std::invalid_argument(who + ": a window of " + std::to_string(reach())
                                + " does not fit into " + std::to_string(length)
                                + " places with a padding of " + std::to_string(padding)
                                + "; make it smaller or pad more");
  if (padding >= reach())
    throw std::invalid_argument(who + ": with a padding of " + std::to_string(padding)
                                + " a window of " + std::to_string(reach())
                                + " lies on padding alone; pad less");
}

ImageShape image_shape(const Shape& shape, int dimensions, const std::string& who) {
  const auto plain = static_cast<std::size_t>(dimensions) + 1;
  if (shape.size() != plain && shape.size() != plain + 1) {
    const std::string places = dimensions == 1 ? "length" : "height, width";
    refuse_shape(who, shape,
                 "[any, " + places + ", channels], or [any, " + places + "] for one channel");
  }
  known_width(shape, who);
  const auto channels = shape.size() == plain ? 1 : shape.back();
  return {dimensions == 1 ? 1 : shape[1], shape[plain - 1], channels};
}

} // namespace troupe
