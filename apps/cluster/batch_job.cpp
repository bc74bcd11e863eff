#include "apps/cluster/batch_job.hpp"

#include "apps/cluster/launch_variables.hpp"
#include "apps/folder/run_folder.hpp"
#include "apps/process/short_command.hpp"
#include "base/failure.hpp"
#include "base/text/text.hpp"
#include "messages/cluster/slurm.hpp"

#include <algorithm>
#include <iostream>

namespace troupe {

namespace {

using namespace std::chrono_literals;
using WallClock = std::chrono::system_clock;
using SteadyClock = Interrupts::Moment::clock;

/// The margin; for a job shorter than that, half of its time, since it would otherwise end before
/// its first batch.
std::chrono::seconds margin_within(Interrupts::Moment end, std::chrono::seconds margin) {
  const auto left = std::chrono::duration_cast<std::chrono::seconds>(end - SteadyClock::now());
  if (margin < left)
    return margin;
  const auto half = std::max(left / 2, std::chrono::seconds{0});
  std::cerr << "warning: the job has " << left.count() << " s left, and cluster.grace is "
            << margin.count() << " s; training ends " << half.count() << " s before the job does\n";
  return half;
}

/// The job id for squeue. A task of an array is asked for by its number, since the array's own id
/// means all tasks.
std::string job_for_squeue(const std::map<std::string, std::string>& all) {
  const auto array = all.find("SLURM_ARRAY_JOB_ID"), task = all.find("SLURM_ARRAY_TASK_ID");
  if (array != all.end() && task != all.end() && is_digits(array->second)
      && is_digits(task->second))
    return array->second + "_" + task->second;
  const auto id = all.find("SLURM_JOB_ID");
  return id != all.end() && is_digits(id->second) ? id->second : "";
}

/// The walltime of a launcher ends before that of the job in which it may run.
std::optional<WallClock::time_point> end_of_job(const std::map<std::string, std::string>& all) {
  if (all.contains(launched_end))
    return job_end(all, launched_end);
  if (!all.contains("SLURM_JOB_ID"))
    return {};
  if (auto end = job_end(all))
    return end;
  const auto job = job_for_squeue(all);
  if (job.empty())
    return {};
  const auto answer = output_within({"squeue", "-h", "-j", job, "-o", "%L"}, 5s);
  if (const auto left = answer ? shortest_time_left(*answer) : std::nullopt)
    return job_end(WallClock::now(), *left);
  std::cerr << "warning: the end of this job is unknown: "
            << (!answer ? "squeue has not answered within 5 s"
                : answer->empty()
                  ? "neither SLURM_JOB_END_TIME nor squeue gives it"
                  : "squeue says " + in_quotes(answer->substr(0, answer->find('\n'))))
            << "; training does not end before the job's time is over, unless it is asked to\n";
  return {};
}

} // namespace

// The argument's clock is read first: time that passes in between then makes the result later.
Interrupts::Moment on_steady_clock(WallClock::time_point moment) {
  const auto left = moment - WallClock::now();
  return SteadyClock::now() + std::chrono::duration_cast<SteadyClock::duration>(left);
}

WallClock::time_point on_wall_clock(Interrupts::Moment moment) {
  const auto left = moment - SteadyClock::now();
  return std::chrono::ceil<std::chrono::seconds>(
    WallClock::now() + std::chrono::duration_cast<WallClock::duration>(left));
}

Interrupts::Moment drain_before(Interrupts::Moment end, std::chrono::seconds margin) {
  return drain_moment(end, margin_within(end, margin));
}

std::optional<Interrupts::Moment> drain_of_job(std::chrono::seconds margin) {
  try {
    const auto end = end_of_job(environment_variables());
    return end ? std::optional{drain_before(on_steady_clock(*end), margin)} : std::nullopt;
  } catch (const std::invalid_argument& e) {
    throw ConfigError(e.what());
  }
}

std::string folder_in_job() {
  const auto all = environment_variables();
  const auto value = [&all](const char* name) {
    const auto found = all.find(name);
    return found == all.end() || found->second.empty() ? std::string{}
                                                       : as_file_name(found->second);
  };
  if (value("SLURM_JOB_ID").empty() || value("SLURM_PROCID").empty())
    return {};
  return "runs/slurm-" + value("SLURM_JOB_ID") + "." + value("SLURM_STEP_ID") + "/process-"
         + value("SLURM_PROCID");
}

bool job_starts_again() {
  const auto all = environment_variables();
  const auto found = all.find("SLURM_RESTART_COUNT");
  return found != all.end() && found->second != "0" && !found->second.empty();
}

} // namespace troupe
