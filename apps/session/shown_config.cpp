#include "apps/session/shown_config.hpp"

#include "apps/config/print.hpp"
#include "apps/run_config/warm_start.hpp"
#include "apps/session/data_checks.hpp"
#include "apps/session/run_checks.hpp"
#include "apps/session/run_problem.hpp"
#include "base/exit_codes.hpp"

#include <iostream>

namespace troupe {

bool shows_config(const TrainCommand& command) { return command.print_config || command.sources; }

int show_config(const TrainCommand& command, const config::Node& tree) {
  std::cout << (command.sources ? config::to_yaml_with_sources(tree) : config::to_yaml(tree));
  return static_cast<int>(ExitCode::done);
}

int show_checked_config(const TrainCommand& command, const RunConfig& config, WorkerId workers) {
  const auto problem = problem_of(config);
  const auto model = model_of(config, *problem);
  check_trainable(config, problem, *model, {0, workers}, counts_to_train_on(config, *problem));
  check_loads(config, model->layout());
  return show_config(command, config.tree);
}

} // namespace troupe
