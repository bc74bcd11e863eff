// troupe train: trains one configuration in this process.
#pragma once

#include "apps/session/train_command.hpp"

namespace troupe {

/// @param member of a cluster; null: this process trains alone
/// @returns the exit code of the program. @throws Failure if training cannot start.
int train(const TrainCommand& command, const ClusterMember* member = nullptr);

} // namespace troupe
