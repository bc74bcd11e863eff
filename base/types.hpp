// The project's units and sizes.
#pragma once

#include <cstdint>

namespace troupe {

using Index = std::int64_t;     ///< examples, rows, columns, offsets; never negative unless said
using Step = std::uint64_t;     ///< optimizer updates done, from 0
using Epoch = std::uint64_t;    ///< passes over the training set done, from 0
using Version = std::uint64_t;  ///< updates of the shared parameters, from 0
using WorkerId = std::uint32_t; ///< dense: 0 .. workers - 1

inline constexpr Index any_size = -1; ///< in a shape: fits every size

} // namespace troupe
