#include "troupe/apps/batch_job.hpp"

#include "troupe/apps/exit_codes.hpp"
#include "troupe/apps/launch_variables.hpp"
#include "troupe/apps/node_system.hpp"
#include "troupe/messages/slurm.hpp"

#include <algorithm>
#include <array>
#include <cctype>
#include <cstdio>
#include <iostream>

namespace troupe {

namespace {

/// What a short command prints; "" where it cannot run.
std::string output_of(const std::string& command) {
  std::string text;
  if (auto* pipe = popen(command.c_str(), "r")) {
    std::array<char, 256> piece{};
    while (std::fgets(piece.data(), piece.size(), pipe) != nullptr)
      text += piece.data();
    pclose(pipe);
  }
  while (!text.empty() && std::isspace(static_cast<unsigned char>(text.back())) != 0)
    text.pop_back();
  return text;
}

using WallClock = std::chrono::system_clock;
using SteadyClock = Interrupts::Moment::clock;

/// A job that is shorter than the margin would end before its first batch: half of it is left then.
std::chrono::seconds margin_within(Interrupts::Moment end, std::chrono::seconds margin) {
  const auto left = std::chrono::duration_cast<std::chrono::seconds>(end - SteadyClock::now());
  if (margin < left)
    return margin;
  const auto half = std::max(left / 2, std::chrono::seconds{0});
  std::cerr << "warning: the job has " << left.count() << " s left, and cluster.grace is "
            << margin.count() << " s; training ends " << half.count() << " s before the job does\n";
  return half;
}

/// The walltime of a launcher is over before that of the job in which it may run.
std::optional<WallClock::time_point> end_of_job(const std::map<std::string, std::string>& all) {
  if (all.contains(launched_end))
    return job_end(all, launched_end);
  const auto id = all.find("SLURM_JOB_ID");
  if (id == all.end())
    return {};
  if (auto end = job_end(all))
    return end;
  if (id->second.find_first_not_of("0123456789") == std::string::npos)
    if (const auto left = output_of("squeue -h -j " + id->second + " -o %L 2>/dev/null");
        !left.empty())
      return job_end(WallClock::now(), left);
  return {};
}

} // namespace

// Of the two clocks the given one is read first, so that what passes in between makes it later.
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
    return found == all.end() ? std::string{} : found->second;
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
