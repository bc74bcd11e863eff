#pragma once

#include <cstdint>

namespace troupe {

/// The memory of this process that is in the machine's memory, in bytes: its own, and the pages of
/// programs and libraries that it has used. 0: unknown.
struct ProcessMemory {
  std::uint64_t now = 0, peak = 0;
};

/// Source: /proc/self/status.
ProcessMemory process_memory();

} // namespace troupe
