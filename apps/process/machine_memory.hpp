#pragma once

#include <cstdint>

namespace troupe {

/// The memory of this machine, in bytes; 0: unknown.
struct MachineMemory {
  std::uint64_t total = 0, available = 0;
};

/// Source: /proc/meminfo.
MachineMemory machine_memory();

} // namespace troupe
