#pragma once

namespace troupe {

/// Sets the SCHED_BATCH policy (sched(7)): a thread of this process that wakes up takes an idle
/// processor or waits for its turn, instead of preempting a running computation. When workers sync
/// after every batch, the holder's work for one worker then runs on the processor of a worker that
/// waits. Threads and processes started later inherit the policy. A policy that was set before
/// (chrt, a batch system) stays; if the kernel refuses, nothing changes.
void schedule_as_batch();

} // namespace troupe
