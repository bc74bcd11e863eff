// The batch job to which this process belongs: when its time is over, and where its files are.
#pragma once

#include "apps/process/interrupts.hpp"

#include <chrono>
#include <optional>
#include <string>

namespace troupe {

/// When a moment by the wall clock, as schedulers say it, comes by the clock that nobody sets, as
/// both are now. In between, whatever the wall clock does changes nothing.
Interrupts::Moment on_steady_clock(std::chrono::system_clock::time_point moment);

/// The inverse, in whole seconds since 1970 that are not before it: another process that reads them
/// ends no sooner.
std::chrono::system_clock::time_point on_wall_clock(Interrupts::Moment moment);

/// When to end training, so that `margin` is left for saving until `end`; of a time that is shorter
/// than that, half of it is left, with a warning.
Interrupts::Moment drain_before(Interrupts::Moment end, std::chrono::seconds margin);

/// When a process of a Slurm job, or of a launcher with a walltime, has to end training, so that it
/// can save before the job's time is over; nothing outside a job, or where its time has no end.
/// @throws ConfigError for a time that is none.
std::optional<Interrupts::Moment> drain_of_job(std::chrono::seconds margin);

/// Where a process of a Slurm job keeps its files, the same when the job is put back into the queue
/// and starts again; "" outside a job.
std::string folder_in_job();

/// Whether the job has been put back into the queue, and starts again.
bool job_starts_again();

} // namespace troupe
