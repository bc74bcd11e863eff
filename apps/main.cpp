// The program `troupe`: reads the command line and hands over to a subcommand.

#include "troupe/apps/batch_scheduling.hpp"
#include "troupe/apps/certs_command.hpp"
#include "troupe/apps/ctl.hpp"
#include "troupe/apps/exit_codes.hpp"
#include "troupe/apps/export_command.hpp"
#include "troupe/apps/grid/command.hpp"
#include "troupe/apps/init_command.hpp"
#include "troupe/apps/log_command.hpp"
#include "troupe/apps/plot_command.hpp"
#include "troupe/apps/predict_command.hpp"
#include "troupe/apps/show.hpp"
#include "troupe/apps/split_command.hpp"
#include "troupe/apps/standard_streams.hpp"
#include "troupe/apps/summary.hpp"
#include "troupe/apps/test_command.hpp"
#include "troupe/apps/train.hpp"
#include "troupe/apps/train_arguments.hpp"
#include "troupe/messages/nearest_name.hpp"
#include "troupe/model/problems/data_error.hpp"
#include "troupe/version.hpp"

#include <CLI/CLI.hpp>

#include <algorithm>
#include <iostream>

namespace {

using namespace troupe;

int run(int argc, char** argv) {
  CLI::App app{"Trains machine-learning models with a troupe of actors."};
  app.set_version_flag("--version", std::string{"troupe "} + version);
  app.require_subcommand(1);
  app.footer("`troupe train --help` shows examples, extensions and exit codes.");
  TrainCommand train_command;
  ShowCommand show_command;
  add_train(app, train_command);
  add_show(app, show_command);
  SummaryCommand summary_command;
  add_summary(app, summary_command);
  LaunchCommand launch_command;
  NodeCommand node_command;
  CertsCommand certs_command;
  LogCommand log_command;
  add_launch(app, launch_command);
  add_node(app, node_command);
  add_certs(app, certs_command);
  PlotCommand plot_command;
  add_log(app, log_command);
  CtlCommand ctl_command;
  add_ctl(app, ctl_command);
  add_plot(app, plot_command);
  ExportCommand export_command;
  add_export(app, export_command);
  PredictCommand predict_command;
  add_predict(app, predict_command);
  GridCommand grid_command;
  add_grid(app, grid_command);
  TestCommand test_command;
  add_test(app, test_command);
  InitCommand init_command;
  add_init(app, init_command);
  SplitCommand split_command;
  add_split(app, split_command);
  const std::vector<std::string> commands{"train",   "show", "launch", "node",    "certs",
                                          "log",     "plot", "ctl",    "summary", "export",
                                          "predict", "grid", "test",   "init",    "split"};
  if (argc > 1 && argv[1][0] != '-'
      && std::find(commands.begin(), commands.end(), argv[1]) == commands.end()) {
    const auto near = nearest_name(argv[1], commands);
    throw UsageError(std::string{"there is no command '"} + argv[1] + "'; "
                     + (near ? "did you mean '" + *near + "'? " : "")
                     + "`troupe --help` lists all");
  }
  try {
    app.parse(argc, argv);
  } catch (const CLI::ParseError& e) {
    return app.exit(e) == 0 ? static_cast<int>(ExitCode::done) : static_cast<int>(ExitCode::usage);
  }
  if (app.got_subcommand("show"))
    return show(show_command);
  if (app.got_subcommand("summary"))
    return summary(summary_command);
  if (app.got_subcommand("launch"))
    return launch(launch_command);
  if (app.got_subcommand("node"))
    return node(node_command);
  if (app.got_subcommand("certs"))
    return certs(certs_command);
  if (app.got_subcommand("log"))
    return print_logs(log_command);
  if (app.got_subcommand("plot"))
    return plot(plot_command);
  if (app.got_subcommand("ctl"))
    return ctl(ctl_command);
  if (app.got_subcommand("export"))
    return export_run(export_command);
  if (app.got_subcommand("predict"))
    return predict(predict_command);
  if (app.got_subcommand("grid"))
    return grid(grid_command);
  if (app.got_subcommand("test"))
    return test_model(test_command);
  if (app.got_subcommand("init"))
    return init_problem(init_command);
  if (app.got_subcommand("split"))
    return split_rows_of(split_command);
  return train(train_command);
}

int complain(ExitCode code, const std::string& text) {
  std::cerr << "troupe: " << text << std::endl;
  return static_cast<int>(code);
}

} // namespace

int main(int argc, char** argv) {
  occupy_standard_streams();
  schedule_as_batch();
  try {
    const auto code = run(argc, argv);
    if (!std::cout.flush())
      return complain(ExitCode::io, "cannot write the results to standard output");
    return code;
  } catch (const Failure& e) {
    for (const auto& sentence : e.sentences())
      complain(e.code(), sentence);
    return static_cast<int>(e.code());
  } catch (const DataError& e) {
    return complain(ExitCode::data, e.what());
  } catch (const FileError& e) {
    return complain(ExitCode::io, e.what());
  } catch (const std::exception& e) {
    return complain(ExitCode::internal, std::string{"a defect of the program: "} + e.what());
  }
}
