#include "apps/cluster/launch_outcome.hpp"

#include <algorithm>

namespace troupe {

namespace {

bool ended_with(const LaunchedProcess& process, ExitCode code) {
  return process.code == static_cast<int>(code);
}

bool is_worker_that_ended_with(const LaunchedProcess& process, ExitCode code) {
  return process.role == LaunchedRole::worker && ended_with(process, code);
}

} // namespace

bool LaunchedProcess::has_crashed() const {
  constexpr int signals = 128; // shells and ChildProcess report signal n as 128 + n
  return ended_with(*this, ExitCode::internal)
         || (code && *code > signals && !ended_with(*this, ExitCode::interrupted));
}

bool LaunchOutcome::has_failed(const LaunchedProcess& process) const {
  return process.code && !ended_with(process, ExitCode::done)
         && !ended_with(process, ExitCode::stopped_early)
         && !(interrupted && is_worker_that_ended_with(process, ExitCode::interrupted));
}

std::optional<std::size_t> LaunchOutcome::failed() const {
  const auto found
    = std::find_if(processes.begin(), processes.end(), [this](const LaunchedProcess& process) {
        return process.role != LaunchedRole::evaluator && has_failed(process);
      });
  if (found == processes.end())
    return std::nullopt;
  return static_cast<std::size_t>(found - processes.begin());
}

bool LaunchOutcome::any_worker_ended_with(ExitCode code) const {
  return std::any_of(processes.begin(), processes.end(), [code](const auto& process) {
    return is_worker_that_ended_with(process, code);
  });
}

bool LaunchOutcome::stopped_early() const {
  const auto some_left = any_worker_ended_with(ExitCode::interrupted);
  return !all_began || any_worker_ended_with(ExitCode::stopped_early)
         || (some_left && any_worker_ended_with(ExitCode::done));
}

int LaunchOutcome::exit_code() const {
  for (const auto& process : processes)
    if (has_failed(process))
      return exit_code_after(process);
  if (stopped_early()) // also if some workers were never started
    return static_cast<int>(ExitCode::stopped_early);
  const auto nothing_saved = any_worker_ended_with(ExitCode::interrupted);
  return static_cast<int>(nothing_saved ? ExitCode::interrupted : ExitCode::done);
}

int LaunchOutcome::exit_code_after(const LaunchedProcess& failed) {
  return failed.has_crashed() ? static_cast<int>(ExitCode::internal) : failed.code.value_or(0);
}

} // namespace troupe
