#include "troupe/apps/shown_config.hpp"

#include "troupe/apps/config/print.hpp"
#include "troupe/apps/exit_codes.hpp"

#include <iostream>

namespace troupe {

bool shows_config(const TrainCommand& command) { return command.print_config || command.sources; }

int show_config(const TrainCommand& command, const config::Node& tree) {
  std::cout << (command.sources ? config::to_yaml_with_sources(tree) : config::to_yaml(tree));
  return static_cast<int>(ExitCode::done);
}

} // namespace troupe
