#include "apps/commands/init.hpp"

#include "apps/catalog/components.hpp"
#include "apps/run_config/read_run_config.hpp"
#include "apps/run_config/warm_start.hpp"
#include "apps/session/data_checks.hpp"
#include "apps/session/result_text.hpp"
#include "apps/session/run_checks.hpp"
#include "apps/session/run_problem.hpp"
#include "model/data/fitted_problem.hpp"

#include <CLI/CLI.hpp>
#include <nlohmann/json.hpp>

#include <iostream>

namespace troupe {

void add_init(CLI::App& app, InitCommand& command) {
  auto* sub
    = app.add_subcommand("init", "Read a problem's files before training, and describe them");
  sub->add_option("arguments", command.arguments,
                  "configuration files and overrides, as for train");
  sub->add_flag(
    "--json", command.json,
    "print the description as JSON, with the statistics that a run's problem.json keeps");
  sub->footer("\nExamples:\n  troupe init run.yaml\n"
              "  troupe init problem.name=csv problem.path=penguins.csv problem.label=species\n");
}

namespace {

std::string json_of_problem(const Problem& problem) {
  nlohmann::ordered_json json{{"problem", problem.name()},
                              {"train", problem.size(Section::train)},
                              {"validation", problem.size(Section::validation)},
                              {"test", problem.size(Section::test)},
                              {"reading", problem.reading_notes()}};
  if (const auto fit = fit_of(problem); !fit.empty())
    json["learned"] = nlohmann::ordered_json::parse(fit);
  return json.dump(2);
}

} // namespace

int init_problem(const InitCommand& command) {
  ConfigSources sources;
  add_command_line(sources, command.arguments);
  const auto config = read_run_config(sources);
  const auto problem = problem_of(config);
  const auto makes = makes_examples(*config.tree.find("problem"));
  const auto counts = counts_to_train_on(config, *problem);
  if (command.json)
    std::cout << json_of_problem(*problem) << std::endl;
  else
    std::cout << sizes_text(*problem) << "\n"
              << reading_lines(*problem) << fields_text(*problem, counts)
              << data_remarks(config, *problem, counts, config.training.workers) << std::flush;
  const auto model = model_of(config, *problem);
  check_trainable(config, problem, *model, {}, counts);
  check_loads(config, model->layout());
  if (!command.json)
    std::cout
      << (makes
            ? "the problem generates its examples during training; there are no files to prepare"
            : "its files were read and are ready for training")
      << std::endl;
  return static_cast<int>(ExitCode::done);
}

} // namespace troupe
