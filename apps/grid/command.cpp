#include "troupe/apps/grid/command.hpp"

#include "troupe/apps/exit_codes.hpp"
#include "troupe/apps/grid/table.hpp"
#include "troupe/apps/grid/test.hpp"

namespace troupe {

void add_grid(CLI::App& app, GridCommand& command) {
  auto* grid
    = app.add_subcommand("grid", "Train, test and compare many configurations: docs/grids.md");
  grid->add_option("act", command.act, "train, test, analyze, or run for all three")
    ->required()
    ->check(CLI::IsMember({"train", "test", "analyze", "run"}));
  grid->add_option("file", command.file, "the grid's file")->required();
  grid->add_option("changes", command.changes, "of what the file says, like repetitions=2");
  grid->add_option("--repeat", command.repeat, "tests of each run")
    ->check(CLI::Range(1, 1'000'000))
    ->capture_default_str();
  grid->add_option("--output,-o", command.output,
                   "the table of results, with report.html beside it (default: results.csv in "
                   "the grid's folder)");
  grid->add_flag("-q,--quiet", command.quiet, "nothing but results and failures");
  grid->footer("\nExamples:\n"
               "  troupe grid run examples/grid/digits.yaml\n"
               "  troupe grid train grid.yaml at_once=1      also goes on with one that was ended\n"
               "  troupe grid test grid.yaml --repeat 2\n"
               "  troupe grid analyze grid.yaml -o results.csv\n"
               "\nExit codes: 0 all runs are done; 70 runs have failed; 74 input/output; 75 "
               "stopped, goes on with the same command; 78 configuration.\n");
}

int grid(const GridCommand& command) {
  if (command.act == "train")
    return grid_train(command);
  if (command.act == "test")
    return grid_test(command);
  if (command.act == "analyze")
    return grid_analyze(command);
  const auto trained = grid_train(command);
  if (trained != static_cast<int>(ExitCode::done)
      && trained != static_cast<int>(ExitCode::internal))
    return trained;
  const auto tested = grid_test(command); // those that have not failed
  if (tested == static_cast<int>(ExitCode::stopped_early))
    return tested;
  const auto analyzed = grid_analyze(command);
  return trained != 0 ? trained : tested != 0 ? tested : analyzed;
}

} // namespace troupe
