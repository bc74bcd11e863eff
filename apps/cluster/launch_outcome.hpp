// The outcome of a launched cluster, from the exit codes of its processes.
#pragma once

#include "base/exit_codes.hpp"

#include <optional>
#include <string>
#include <vector>

namespace troupe {

enum class LaunchedRole { holder, worker, evaluator };

struct LaunchedProcess {
  LaunchedRole role = LaunchedRole::worker;
  std::optional<int> code; ///< exit code, 128 + n for signal n; nothing while it runs

  /// Whether a signal or an internal failure (70) ended it, which a restart may cure. All other
  /// exit codes are deliberate, including that of an interrupt (130).
  bool has_crashed() const;
};

/// The processes that a launcher has started so far, in that order.
struct LaunchOutcome {
  std::vector<LaunchedProcess> processes;
  bool interrupted = false; ///< from outside, or by the walltime
  bool all_began = true;    ///< all workers have been started

  /// Whether it ended neither normally nor because it was stopped. A worker that was interrupted
  /// before it had a state has not failed: it starts again with the others.
  bool has_failed(const LaunchedProcess& process) const;

  /// The first failed process that the run cannot do without: any but an evaluator.
  std::optional<std::size_t> failed() const;

  /// Whether the run can be resumed from the state of at least one worker.
  bool stopped_early() const;

  /// The launcher's exit code if `failed()` is empty.
  int exit_code() const;

  /// The launcher's exit code if this process has ended the run: the process's own, or 70 after a
  /// crash, since no signal ended the launcher itself.
  static int exit_code_after(const LaunchedProcess& failed);

private:
  bool any_worker_ended_with(ExitCode code) const;
};

} // namespace troupe
