#include "apps/process/machine_memory.hpp"

#include <fstream>
#include <string>

namespace troupe {

MachineMemory machine_memory() {
  MachineMemory memory;
  std::ifstream file{"/proc/meminfo"};
  std::string name, unit;
  for (std::uint64_t kilobytes = 0; file >> name >> kilobytes; std::getline(file, unit))
    if (name == "MemTotal:")
      memory.total = kilobytes * 1024;
    else if (name == "MemAvailable:")
      memory.available = kilobytes * 1024;
  return memory;
}

} // namespace troupe
