// The command lines of the commands that train: train, launch, node and simulate.
#pragma once

#include "apps/commands/launch.hpp"
#include "apps/commands/node.hpp"
#include "apps/commands/simulate.hpp"

namespace CLI { // NOLINT(readability-identifier-naming): the library's
class App;
}

namespace troupe {

void add_train(CLI::App& app, TrainCommand& command);
void add_launch(CLI::App& app, LaunchCommand& command);
void add_node(CLI::App& app, NodeCommand& command);
void add_simulate(CLI::App& app, SimulateCommand& command);

} // namespace troupe
