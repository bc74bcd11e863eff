#pragma once

#include <string>

namespace troupe {

/// What this process has had of the machine's cores since it began.
struct CoreUse {
  double worked = 0; ///< seconds in which its threads ran, of all of them
  double waited = 0; ///< seconds in which they could have run and had no core; 0: unknown
  double cores = 0;  ///< that it may use
};

CoreUse core_use();

/// The seconds that a thread waited for a core, from its schedstat: "84796 77044 2"; 0 for another
/// text.
double core_wait_in(const std::string& schedstat);

} // namespace troupe
