#include "apps/process/process_memory.hpp"

#include <fstream>
#include <string>
#include <utility>

namespace troupe {

ProcessMemory process_memory() {
  ProcessMemory memory;
  std::ifstream file{"/proc/self/status"};
  for (std::string line; std::getline(file, line);)
    for (const auto& [name, bytes] :
         {std::pair{"VmRSS:", &memory.now}, std::pair{"VmHWM:", &memory.peak}})
      if (line.starts_with(name))
        *bytes = std::stoull(line.substr(line.find(':') + 1)) * 1024;
  return memory;
}

} // namespace troupe
