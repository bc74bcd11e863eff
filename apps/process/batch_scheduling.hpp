#pragma once

namespace troupe {

/// Tells the kernel that this process computes for its own sake (SCHED_BATCH, sched(7)): a thread
/// of it that wakes up takes a processor that is idle, or waits for its turn, instead of
/// interrupting another one's computation. Where workers sync after every batch, what the holder
/// does for one of them then runs on the processor of whoever waits. Holds for the threads and
/// processes that are started afterwards. A policy that somebody chose before (chrt, a batch
/// system) stays, and where the kernel refuses, nothing changes.
void schedule_as_batch();

} // namespace troupe
