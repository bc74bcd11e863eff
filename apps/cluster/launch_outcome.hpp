// What has become of a launched cluster, as the ends of its processes tell.
#pragma once

#include "base/exit_codes.hpp"

#include <optional>
#include <string>
#include <vector>

namespace troupe {

enum class LaunchedRole { holder, worker, evaluator };

struct LaunchedProcess {
  LaunchedRole role = LaunchedRole::worker;
  std::optional<int> code; ///< with which it ended, 128 + n by signal n; nothing while it runs

  /// It was ended by a signal, or by a failure of its own (70), which starting it again may mend.
  /// All other exit codes are decisions, that of an interrupt (130) among them.
  bool has_crashed() const;
};

/// All that a launcher has started so far, in that order.
struct LaunchOutcome {
  std::vector<LaunchedProcess> processes;
  bool interrupted = false; ///< from outside, or by the walltime
  bool all_began = true;    ///< no worker has still to come to its turn

  /// It has ended neither as it should nor because it was stopped. A worker that was interrupted
  /// before it had anything to save has not failed: it begins anew with the others.
  bool has_failed(const LaunchedProcess& process) const;

  /// The first one that has failed and without which nothing goes on: any but an evaluator.
  std::optional<std::size_t> failed() const;

  /// Whether the run can go on, from what at least one worker has saved.
  bool stopped_early() const;

  /// The launcher's own, where no process that nothing goes on without has failed.
  int exit_code() const;

  /// The launcher's own, where this process has ended the run: its, or 70 where it has crashed,
  /// since the launcher itself was not ended by a signal.
  static int exit_code_after(const LaunchedProcess& failed);

private:
  bool any_worker_ended_with(ExitCode code) const;
};

} // namespace troupe
