// `--print-config` and `--sources`: the configuration in place of the training.
#pragma once

#include "apps/session/train_command.hpp"

namespace troupe {

/// Whether the command shows its configuration and does nothing else.
bool shows_config(const TrainCommand& command);

/// Prints a resolved configuration as the command asks for it. @returns the program's exit code.
int show_config(const TrainCommand& command, const config::Node& tree);

/// The same for a cluster's workers, after the checks that the workers would make.
/// @throws ConfigError, DataError, IoError
int show_checked_config(const TrainCommand& command, const RunConfig& config, WorkerId workers);

} // namespace troupe
