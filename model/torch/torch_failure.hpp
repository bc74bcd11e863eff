#pragma once

#include "model/tensor/layout.hpp"

#include <string>

namespace troupe {

/// Shortens an error of the TorchScript interpreter, several lines with two tracebacks, to half a
/// sentence: the failing expression in forward, the parameters of its layer, and the reason.
///
///   at self.fc1, of fc1.weight [3, 4], fc1.bias [3]: mat1 and mat2 shapes cannot be multiplied
///   (2x5 and 4x3)
std::string torch_failure(const std::string& message, const Layout& layout);

} // namespace troupe
