#include "base/allowed_cores.hpp"

#include <sched.h>

#include <algorithm>
#include <numeric>
#include <thread>

namespace troupe {

std::vector<int> allowed_cores() {
  cpu_set_t allowed;
  CPU_ZERO(&allowed);
  std::vector<int> cores;
  if (sched_getaffinity(0, sizeof allowed, &allowed) != 0) { // the machine has more than the set
    cores.resize(std::max(1U, std::thread::hardware_concurrency()));
    std::iota(cores.begin(), cores.end(), 0);
    return cores;
  }
  for (int core = 0; core < CPU_SETSIZE; ++core)
    if (CPU_ISSET(core, &allowed))
      cores.push_back(core);
  return cores;
}

std::size_t count_allowed_cores() { return allowed_cores().size(); }

} // namespace troupe
