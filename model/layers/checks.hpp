#pragma once

#include "model/tensor/layout.hpp"

#include <string>

namespace troupe {

// Checks of a layer's options and inputs. Both throw std::invalid_argument with a sentence that
// begins with `who`: "conv2d layer 'conv2d0'".

/// Throws unless `value` is at least 1; `what` is its name, such as "heads".
void check_positive(const std::string& who, const std::string& what, Index value);

/// @param needs the shapes that are accepted: "[any, ..., channels]"
[[noreturn]] void refuse_shape(const std::string& who, const Shape& given,
                               const std::string& needs);

} // namespace troupe
