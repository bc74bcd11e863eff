#include "model/layers/checks.hpp"

#include <stdexcept>

namespace troupe {

void check_positive(const std::string& who, const std::string& what, Index value) {
  if (value < 1)
    throw std::invalid_argument(who + " has " + std::to_string(value) + " " + what
                                + "; give it at least 1");
}

void refuse_shape(const std::string& who, const Shape& given, const std::string& needs) {
  throw std::invalid_argument(who + " cannot work on the shape " + to_string(given) + "; it needs "
                              + needs);
}

} // namespace troupe
