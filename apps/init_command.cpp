#include "troupe/apps/init_command.hpp"

#include "troupe/apps/components.hpp"
#include "troupe/apps/result_text.hpp"
#include "troupe/apps/run_problem.hpp"

#include <CLI/CLI.hpp>

#include <iostream>

namespace troupe {

void add_init(CLI::App& app, InitCommand& command) {
  auto* sub
    = app.add_subcommand("init", "Read a problem's files before training, and say what is in them");
  sub->add_option("words", command.words, "configuration files and changes, as for train");
  sub->footer("\nExamples:\n  troupe init run.yaml\n"
              "  troupe init problem.name=csv problem.path=penguins.csv problem.label=species\n"
              "\nExit codes: 0 all can be used; 65 bad data; 74 input/output; 78 configuration.\n");
}

int init_problem(const InitCommand& command) {
  ConfigSources sources;
  add_command_line(sources, command.words);
  const auto config = read_run_config(sources);
  const auto problem = problem_of(config);
  std::cout << sizes_text(*problem) << "\n"
            << reading_lines(*problem)
            << (makes_examples(*config.tree.find("problem"))
                  ? "it makes its examples while it trains; there are no files to prepare"
                  : "its files were read and can be used as they are")
            << std::endl;
  return static_cast<int>(ExitCode::done);
}

} // namespace troupe
