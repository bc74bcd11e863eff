#include "apps/commands/grid.hpp"

#include "apps/grid/analyze.hpp"
#include "apps/grid/node.hpp"
#include "apps/grid/test.hpp"
#include "base/failure.hpp"

namespace troupe {

namespace {

/// The options for grids over several machines.
void add_nodes(CLI::App& grid, GridCommand& command) {
  grid.add_option_function<std::string>(
    "--listen",
    [&command](const std::string& address) { command.changes.push_back("listen=" + address); },
    "train, run: host:port where nodes join (port 0: any free port)");
  grid.add_option("--port-file", command.port_file, "train, run: write that port to this file");
  grid.add_option("--connect", command.connect, "node: host:port of the grid");
  grid.add_option("--folder", command.folder,
                  "node: path of the grid's folder on this machine (default: the grid's path)");
  grid
    .add_option("--plugins", command.plugins,
                "node: shared objects that the grid's runs may load here, like ./libmine.so; a "
                "plugin that is not named is refused")
    ->expected(1, -1);
  grid.add_option("--at-once", command.at_once,
                  "node: number of runs at the same time, at most one per processor (default: one "
                  "per processor)");
  grid
    .add_option("--join-deadline", command.join_deadline,
                "node: seconds to keep trying to reach the grid")
    ->capture_default_str();
  grid.add_option("--certs", command.trust.certs, "folder with ca.pem, <name>.pem and <name>.key");
  grid.add_option("--name", command.trust.name, "name of the certificate")
    ->default_val("grid")
    ->capture_default_str();
  grid.add_flag("--insecure", command.trust.insecure,
                "use plain TCP without certificates, on loopback only");
}

} // namespace

void add_grid(CLI::App& app, GridCommand& command) {
  auto* grid = app.add_subcommand(
    "grid", "Train, test and compare many configurations: docs/how-to/grids.md");
  grid
    ->add_option(
      "action", command.action,
      "train, test, analyze, or run for all three; node: train runs of a grid on another machine")
    ->required()
    ->check(CLI::IsMember({"train", "test", "analyze", "run", "node"}));
  grid->add_option("file", command.file, "the grid's file; omit it for node");
  grid->add_option("overrides", command.changes, "overrides of the file, like repetitions=2");
  grid->add_flag("--failed", command.failed, "train, run: retry failed and refused runs");
  grid->add_option("--repeat", command.repeat, "number of tests of each run")
    ->check(CLI::Range(1, 1'000'000))
    ->capture_default_str();
  grid->add_option("--output,-o", command.output,
                   "file for the table of results, with report.html next to it (default: "
                   "results.csv in the grid's folder)");
  grid->add_flag("-q,--quiet", command.quiet, "print only results and failures");
  add_nodes(*grid, command);
  grid->footer("\nExamples:\n"
               "  troupe grid run examples/grid/digits.yaml\n"
               "  troupe grid train grid.yaml at_once=1      starts or continues a grid\n"
               "  troupe grid train grid.yaml --failed       retries failed runs\n"
               "  troupe grid test grid.yaml --repeat 2\n"
               "  troupe grid analyze grid.yaml -o results.csv\n"
               "  troupe grid train grid.yaml --listen 10.0.0.1:21000 --certs certs\n"
               "  troupe grid node --connect 10.0.0.1:21000 --certs certs    on other machines\n");
}

int grid(const GridCommand& command) {
  if (command.action == "node")
    return grid_node(command);
  if (command.file.empty())
    throw UsageError("troupe grid " + command.action + " needs the grid's file, like: troupe grid "
                     + command.action + " grid.yaml");
  if (command.action == "train")
    return grid_train(command);
  if (command.action == "test")
    return grid_test(command);
  if (command.action == "analyze")
    return grid_analyze(command);
  const auto trained = grid_train(command);
  if (trained != static_cast<int>(ExitCode::done)
      && trained != static_cast<int>(ExitCode::internal))
    return trained;
  const auto tested = grid_test(command); // of runs that have not failed
  if (tested == static_cast<int>(ExitCode::stopped_early))
    return tested;
  const auto analyzed = grid_analyze(command);
  return trained != 0 ? trained : tested != 0 ? tested : analyzed;
}

} // namespace troupe
