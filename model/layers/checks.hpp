#pragma once

#include "model/tensor/layout.hpp"

#include <string>

namespace troupe {

// What the options and inputs of layers have to be. Both throw std::invalid_argument with a
// sentence that begins with `who`: "conv2d layer 'conv2d0'".

/// Unless `value` is at least 1; `what` as in "heads".
void check_positive(const std::string& who, const std::string& what, Index value);

/// @param needs the shapes that would do, in words: "[any, ..., channels]"
[[noreturn]] void refuse_shape(const std::string& who, const Shape& given,
                               const std::string& needs);

} // namespace troupe
