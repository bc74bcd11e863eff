#include "apps/commands/summary.hpp"

#include "apps/catalog/components.hpp"
#include "apps/config/overrides.hpp"
#include "apps/folder/run_folder.hpp"
#include "apps/run_config/read_run_config.hpp"
#include "apps/session/run_actors_options.hpp"
#include "apps/session/run_memory.hpp"
#include "apps/session/run_problem.hpp"
#include "base/exit_codes.hpp"

#include <CLI/CLI.hpp>
#include <fmt/format.h>

#include <algorithm>
#include <filesystem>
#include <iostream>

namespace troupe {

namespace {

/// The number of parameters of each role.
struct RoleCounts {
  Index trained = 0, frozen = 0, statistic = 0;

  void add(const Parameter& parameter) {
    switch (parameter.role) {
    case ParameterRole::trained: trained += parameter.size(); break;
    case ParameterRole::frozen: frozen += parameter.size(); break;
    case ParameterRole::carried:
    case ParameterRole::statistic: statistic += parameter.size(); break;
    }
  }
};

/// @param end offset after the last parameter to count
RoleCounts counts_of(const Layout& layout, Index begin, Index end) {
  RoleCounts counts;
  for (const auto& parameter : layout.parameters())
    if (parameter.offset >= begin && parameter.offset < end)
      counts.add(parameter);
  return counts;
}

std::string summary_row(const std::string& name, const std::string& output,
                        const RoleCounts& counts) {
  return fmt::format("{:<22} {:<22} {:>10} {:>10} {:>10}\n", name.substr(0, 60),
                     output.substr(0, 60), counts.trained, counts.frozen, counts.statistic);
}

/// Describes the size of a batch, which may be smaller than configured.
std::string batches_text(const TrainingOptions& training, const Problem& problem) {
  if (const auto streams = problem.spec().streams; streams > 0)
    return "batches of " + std::to_string(streams) + " streams";
  const auto share = (problem.size(Section::train) + training.workers - 1) / training.workers;
  return !problem.endless() && training.batch_size >= share
           ? "one batch per epoch, of all " + std::to_string(share) + " examples of a worker"
           : "batches of " + std::to_string(training.batch_size);
}

ConfigSources summary_sources(const SummaryCommand& command) {
  auto arguments = command.arguments;
  for (auto& argument : arguments)
    if (const auto run = path_of_run(argument);
        !config::is_override(argument) && std::filesystem::is_directory(run))
      argument = (run / "config.yaml").string();
  ConfigSources sources;
  add_command_line(sources, arguments);
  return sources;
}

} // namespace

void add_summary(CLI::App& app, SummaryCommand& command) {
  auto* summary = app.add_subcommand(
    "summary", "Print a model's layers and parameters, and the memory that training takes");
  summary->add_option("arguments", command.arguments,
                      "a run's folder, or configuration files and overrides as for train");
  summary->footer("\nExamples:\n  troupe summary run.yaml\n  troupe summary latest\n"
                  "  troupe summary model.name=lenet training.batch_size=256\n");
}

std::string stages_text(const Model& model) {
  const auto stages = model.stages();
  auto text
    = fmt::format("{:<22} {:<22} {:>10} {:>10} {:>10}\n", stages.empty() ? "parameter" : "layer",
                  stages.empty() ? "shape" : "output", "trained", "frozen", "statistic");
  const auto& layout = model.layout();
  for (const auto& input : model.inputs())
    text += summary_row(input.name, to_string(input.shape), {});
  for (const auto& stage : stages)
    text += summary_row(stage.name, to_string(stage.output),
                        counts_of(layout, stage.begin, stage.end));
  if (stages.empty()) // the model does not describe its stages
    for (const auto& parameter : layout.parameters())
      text += summary_row(parameter.name, to_string(parameter.shape),
                          counts_of(layout, parameter.offset, parameter.offset + 1));
  return text
         + summary_row(model.name(), to_string(model.prediction().shape),
                       counts_of(layout, 0, layout.size()));
}

int summary(const SummaryCommand& command) {
  const auto config = read_run_config(summary_sources(command));
  const std::shared_ptr<const Problem> problem = problem_of(config);
  const auto model = make_model(*config.tree.find("model"), problem->spec());
  check_memory(*model);
  check_threads(config.training, *model);
  check_scales(config, *model);
  check_order(config.training, problem->spec());
  std::cout << stages_text(*model) << batches_text(config.training, *problem) << ": "
            << memory_text(measure_run_memory(config, problem, *model)) << std::endl;
  return static_cast<int>(ExitCode::done);
}

} // namespace troupe
