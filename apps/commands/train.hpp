// troupe train: trains one configuration in this process.
#pragma once

#include "apps/process/interrupts.hpp"
#include "apps/session/session_options.hpp"
#include "apps/session/train_command.hpp"

#include <filesystem>
#include <functional>

namespace troupe {

/// What a program that trains does with a run, besides training it.
struct RunCallbacks {
  /// The run begins in this folder: all checks have passed.
  std::function<void(const std::filesystem::path& folder)> begins;
  /// The run has ended, and its results are not written yet. @returns the exit code of the program
  std::function<int(const RunConfig& config, const std::filesystem::path& folder,
                    const SessionResult& result)>
    ends;
};

/// @param member of a cluster; null: this process trains alone
/// @returns the exit code of the program. @throws Failure if training cannot start.
int train(const TrainCommand& command, const ClusterMember* member = nullptr);

/// The same for a program that training is a part of.
/// @param interrupts created before other threads, or without signals
int train(const TrainCommand& command, const ClusterMember* member, Interrupts& interrupts,
          const RunCallbacks& callbacks);

} // namespace troupe
