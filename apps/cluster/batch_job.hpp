// The batch job of this process: the end of its time, and the place of its files.
#pragma once

#include "apps/process/interrupts.hpp"

#include <chrono>
#include <optional>
#include <string>

namespace troupe {

/// Converts a wall clock time, as given by schedulers, to the monotonic clock by the current time
/// of both. Later changes of the wall clock have no effect.
Interrupts::Moment on_steady_clock(std::chrono::system_clock::time_point moment);

/// The inverse, rounded up to whole seconds since 1970, so that another process that reads them
/// ends no sooner.
std::chrono::system_clock::time_point on_wall_clock(Interrupts::Moment moment);

/// When to end training so that `margin` is left for saving until `end`; if less time is left, half
/// of it is used, with a warning.
Interrupts::Moment drain_before(Interrupts::Moment end, std::chrono::seconds margin);

/// When a process of a Slurm job, or of a launcher with a walltime, has to end training so that it
/// can save in time; nothing outside a job, or if its time is unlimited.
/// @throws ConfigError for a malformed time.
std::optional<Interrupts::Moment> drain_of_job(std::chrono::seconds margin);

/// The folder for the files of a process of a Slurm job, the same after the job is requeued; ""
/// outside a job.
std::string folder_in_job();

/// Whether the job was requeued and starts again.
bool job_starts_again();

} // namespace troupe
