#include "apps/process/stop_signals.hpp"

#include <signal.h>

#include <utility>

namespace troupe {

void StopSignals::hear(int number, double now) {
  if (number == SIGINT) {
    ++level_;
    return;
  }
  const auto before = std::exchange(last_, std::optional{now});
  if (level_ < after_batch)
    level_ = after_batch;
  else if (!before || now - *before >= one_signal)
    ++level_;
}

} // namespace troupe
