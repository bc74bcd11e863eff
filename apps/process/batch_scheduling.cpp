#include "apps/process/batch_scheduling.hpp"

#include <sched.h>

namespace troupe {

void schedule_as_batch() {
  if (sched_getscheduler(0) != SCHED_OTHER)
    return;
  const sched_param none{};
  sched_setscheduler(0, SCHED_BATCH, &none);
}

} // namespace troupe
