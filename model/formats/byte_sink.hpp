#pragma once

#include <cstddef>
#include <functional>

namespace troupe {

/// Takes the bytes of a file, in order; whoever makes one decides where they go.
using ByteSink = std::function<void(const void* data, std::size_t bytes)>;

} // namespace troupe
