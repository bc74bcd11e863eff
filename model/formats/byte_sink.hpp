#pragma once

#include <cstddef>
#include <functional>

namespace troupe {

/// Receives the bytes of a file, in order.
using ByteSink = std::function<void(const void* data, std::size_t bytes)>;

} // namespace troupe
