#include "apps/grid/command.hpp"

#include "apps/grid/node.hpp"
#include "apps/grid/table.hpp"
#include "apps/grid/test.hpp"
#include "base/exit_codes.hpp"

namespace troupe {

namespace {

/// What concerns other machines.
void add_nodes(CLI::App& grid, GridCommand& command) {
  grid.add_option_function<std::string>(
    "--listen",
    [&command](const std::string& address) { command.changes.push_back("listen=" + address); },
    "train, run: host:port where nodes join; port 0: any free one");
  grid.add_option("--port-file", command.port_file, "train, run: written with that port");
  grid.add_option("--connect", command.connect, "node: where the grid listens");
  grid.add_option(
    "--folder", command.folder,
    "node: the grid's folder as this machine sees it (default: as the grid names it)");
  grid.add_option("--at-once", command.at_once,
                  "node: runs at once, processors at most (default: one for each)");
  grid
    .add_option("--join-deadline", command.join_deadline,
                "node: seconds for which a grid that is away is looked for")
    ->capture_default_str();
  grid.add_option("--certs", command.trust.certs, "folder with ca.pem, <name>.pem, <name>.key");
  grid.add_option("--name", command.trust.name, "of the certificate")
    ->default_val("grid")
    ->capture_default_str();
  grid.add_flag("--insecure", command.trust.insecure, "without certificates, on loopback only");
}

} // namespace

void add_grid(CLI::App& app, GridCommand& command) {
  auto* grid = app.add_subcommand(
    "grid", "Train, test and compare many configurations: docs/how-to/grids.md");
  grid
    ->add_option("act", command.act,
                 "train, test, analyze, or run for all three; node: train for a grid elsewhere")
    ->required()
    ->check(CLI::IsMember({"train", "test", "analyze", "run", "node"}));
  grid->add_option("file", command.file, "the grid's file; none for a node");
  grid->add_option("changes", command.changes, "of what the file says, like repetitions=2");
  grid->add_flag("--failed", command.failed,
                 "train, run: try runs again that have failed or were refused");
  grid->add_option("--repeat", command.repeat, "tests of each run")
    ->check(CLI::Range(1, 1'000'000))
    ->capture_default_str();
  grid->add_option("--output,-o", command.output,
                   "the table of results, with report.html beside it (default: results.csv in "
                   "the grid's folder)");
  grid->add_flag("-q,--quiet", command.quiet, "nothing but results and failures");
  add_nodes(*grid, command);
  grid->footer("\nExamples:\n"
               "  troupe grid run examples/grid/digits.yaml\n"
               "  troupe grid train grid.yaml at_once=1      also goes on with one that was ended\n"
               "  troupe grid train grid.yaml --failed       tries runs again that have failed\n"
               "  troupe grid test grid.yaml --repeat 2\n"
               "  troupe grid analyze grid.yaml -o results.csv\n"
               "  troupe grid train grid.yaml --listen 10.0.0.1:21000 --certs certs\n"
               "  troupe grid node --connect 10.0.0.1:21000 --certs certs    on other machines\n");
}

int grid(const GridCommand& command) {
  if (command.act == "node")
    return grid_node(command);
  if (command.file.empty())
    throw UsageError("troupe grid " + command.act + " needs the grid's file, like: troupe grid "
                     + command.act + " grid.yaml");
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
