#pragma once

#include "model/tensor/layout.hpp"

#include <string>

namespace troupe {

/// What a module's interpreter says of a failure, several lines with two tracebacks, in half a
/// sentence: the expression of its forward that failed, the parameters behind that, and why.
///
///   at self.fc1, of fc1.weight [3, 4], fc1.bias [3]: mat1 and mat2 shapes cannot be multiplied
///   (2x5 and 4x3)
std::string torch_failure(const std::string& message, const Layout& layout);

} // namespace troupe
