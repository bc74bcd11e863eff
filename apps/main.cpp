// The program `troupe`: reads the command line and hands over to a subcommand.

#include "troupe/apps/components.hpp"
#include "troupe/apps/config/nearest.hpp"
#include "troupe/apps/ctl.hpp"
#include "troupe/apps/exit_codes.hpp"
#include "troupe/apps/export_command.hpp"
#include "troupe/apps/extension_catalog.hpp"
#include "troupe/apps/grid/command.hpp"
#include "troupe/apps/init_command.hpp"
#include "troupe/apps/launch.hpp"
#include "troupe/apps/log_command.hpp"
#include "troupe/apps/node.hpp"
#include "troupe/apps/plot_command.hpp"
#include "troupe/apps/predict_command.hpp"
#include "troupe/apps/show.hpp"
#include "troupe/apps/split_command.hpp"
#include "troupe/apps/summary.hpp"
#include "troupe/apps/test_command.hpp"
#include "troupe/apps/train.hpp"
#include "troupe/messages/text.hpp"
#include "troupe/model/problems/data_error.hpp"
#include "troupe/version.hpp"

#include <CLI/CLI.hpp>

#include <algorithm>
#include <iostream>

namespace {

using namespace troupe;

const char* const train_examples = R"(
Examples:
  troupe train                                       the built-in digits
  troupe train run.yaml training.epochs=3            a configuration, and a change to it
  troupe train model.hidden='[512,512]' optimizer.name=momentum optimizer.learning_rate=0.05
  troupe train training.workers=2                    two replicas against one parameter holder
  troupe train +extensions.stop_after_time_elapsed.total_duration=10m '~extensions.timing'
  troupe train --print-config --sources run.yaml     where each value comes from
  troupe train --resume last training.epochs=40      goes on where the last run ended
  troupe train trainer=online --model model_best.bin by episodes, from a kept model
  troupe train --control 127.0.0.1:0                 can be steered: troupe ctl latest status
)";

const char* const exit_codes = R"(
Exit codes: 0 done; 2 usage; 65 bad data; 70 internal error or failed training; 74 input/output;
  75 stopped early, resumable; 77 wrong token; 78 configuration; 130 interrupted before anything was saved.
)";

/// What train, node and launch have in common.
void add_training(CLI::App* train, TrainCommand& command) {
  train->add_option("words", command.words,
                    "configuration files and changes: a.b=c, +a.b=c (new), ~a.b (delete)");
  train->add_option("--config,-c", command.files, "a configuration file; the later wins")
    ->allow_extra_args(false);
  train->add_flag("--json", command.json, "the result as one line of JSON");
  train->add_flag("--no-progress", command.no_progress, "no progress line");
  train->add_flag("-q,--quiet", command.quiet, "nothing but the result");
  train->add_flag("-v,--verbose", command.verbose, "more lines");
}

void add_train(CLI::App& app, TrainCommand& command) {
  auto* train
    = app.add_subcommand("train", "Train a model (without a configuration: the built-in digits)");
  add_training(train, command);
  train->add_option("--resume", command.resume,
                    "go on with the run in this folder, or with 'last'");
  train->add_option("--folder", command.folder,
                    "train in this folder; goes on with what a run has saved there");
  train
    ->add_option("--home", command.home,
                 "with --folder: what results call it, where it is to be moved later")
    ->needs("--folder");
  const auto override_by = [&command](const std::string& key) {
    return [&command, key](const std::string& value) { command.words.push_back(key + value); };
  };
  train->add_option_function<std::string>("--model", override_by("model.load="),
                                          "begin with the parameters of this model's file, over "
                                          "model.load of the configuration");
  train->add_option_function<std::string>("--control", override_by("control.address="),
                                          "let `troupe ctl` steer the run, at host:port (port 0: "
                                          "any free one)");
  train->add_option_function<std::string>("--certs", override_by("control.certs="),
                                          "folder with ca.pem, <name>.pem, <name>.key, for "
                                          "--control beyond loopback");
  train->add_option_function<std::string>("--name", override_by("control.name="),
                                          "of the certificate (default: control)");
  train->add_flag_callback(
    "--paused", [&command] { command.words.emplace_back("control.paused=true"); },
    "with --control: hold before the first batch until told to go on");
  train->add_flag("--print-config", command.print_config,
                  "print the effective configuration and stop");
  train->add_flag("--sources", command.sources, "with --print-config: where each value comes from");
  train->add_option("--explain", command.explain,
                    "print where the value of a key, or of all keys below it, comes from, and what "
                    "it would be otherwise, and stop");
  train->footer("Problems: " + joined(problem_names()) + ". Models: " + joined(model_names())
                + ". Optimizers: " + joined(optimizer_names()) + ".\nExtensions: "
                + joined(extension_names()) + ".\n" + train_examples + exit_codes);
}

void add_show(CLI::App& app, ShowCommand& command) {
  auto* show = app.add_subcommand("show", "Draw examples of a problem into a PNG file, or print "
                                          "what the file of a model says");
  show->add_option("problem", command.problem, "digits, or idx with its files, or a model's file")
    ->capture_default_str();
  show->add_option("options", command.overrides, "options of the problem, like seed=3");
  show->add_option("--output,-o", command.output, "the file (default: <problem>.png)");
  show->add_option("--section", command.section, "train, validation or test")
    ->capture_default_str();
  show->add_option("--examples,-n", command.examples, "how many")->capture_default_str();
  show->add_option("--scale", command.scale, "pixels per pixel")->capture_default_str();
  show->footer(
    "\nExamples:\n  troupe show digits\n  troupe show digits -n 200 -o sheet.png seed=7\n"
    "  troupe show idx images=train-images.gz labels=train-labels.gz\n"
    "  troupe show runs/latest/models/model_best.bin\n");
}

void add_summary(CLI::App& app, SummaryCommand& command) {
  auto* summary = app.add_subcommand(
    "summary", "Print the layers of a model, its parameters and the memory that training takes");
  summary->add_option("words", command.words,
                      "a run's folder, or configuration files and changes as for train");
  summary->footer("\nExamples:\n  troupe summary run.yaml\n  troupe summary latest\n"
                  "  troupe summary model.name=lenet training.batch_size=256\n");
}

void add_launch(CLI::App& app, LaunchCommand& command) {
  auto* launch = app.add_subcommand("launch", "Train in a cluster of processes on this machine");
  add_training(launch, command.train);
  launch->add_option("-n,--workers", command.workers, "how many workers")->capture_default_str();
  launch->add_option("--at-most", command.at_most, "so many workers run at once (0: all)")
    ->capture_default_str();
  launch->add_option("-p,--shards", command.shards, "how many parameter holders, a range each")
    ->capture_default_str();
  launch->add_flag("--evaluator", command.evaluator,
                   "one more process, which measures the newest parameters while the others train");
  launch->add_flag("--insecure", command.insecure, "plain TCP on loopback instead of mutual TLS");
  launch->add_option("--grace", command.grace, "seconds for a process to end in good order")
    ->capture_default_str();
  launch->footer(
    "\nExamples:\n  troupe launch -n 2\n  troupe launch -n 4 run.yaml training.epochs=3\n");
}

void add_node(CLI::App& app, NodeCommand& command) {
  auto* node = app.add_subcommand(
    "node", "Be one process of a cluster: its parameter holder, a worker or the evaluator");
  add_training(node, command.train);
  node->add_option("--role", command.role,
                   "ps, worker, master or evaluator (without it: as the environment says)");
  node->add_option("--index", command.index, "number of this process in its role");
  node->add_option("--ps", command.ps, "host:port of each parameter holder, separated by commas");
  node->add_option("--workers", command.workers, "host:port of each worker, or how many there are");
  node->add_flag("--master", command.master, "the cluster has a master besides its workers");
  node->add_option("--certs", command.certs, "folder with ca.pem, <name>.pem, <name>.key");
  node->add_option("--name", command.name, "of this node's certificate (default: <role>-<index>)");
  node->add_flag("--insecure", command.insecure, "plain TCP, on loopback only");
  node->add_option("--folder", command.folder,
                   "for this node's files; a ps goes on from what it finds there");
  node->add_flag("--until-told", command.until_told, "ps: goes on when all workers have left");
  node->add_option("--save-every", command.save_every, "ps: seconds between two saves")
    ->capture_default_str();
  node
    ->add_option("--pushes-per-second", command.pushes_per_second,
                 "ps: asks the workers, all together, for no more (0: no limit)")
    ->capture_default_str();
  node->add_option("--port-file", command.port_file, "ps: gets the port once it listens");
  node
    ->add_option("--join-deadline", command.join_deadline,
                 "seconds to wait for the parameter holder")
    ->capture_default_str();
  node->add_flag("--last-worker-evaluates", command.last_worker_evaluates,
                 "of a cluster from the environment; every process has to be told");
  auto& evaluation = command.evaluation;
  node->add_option("--every", evaluation.every, "evaluator: measures after so many new versions")
    ->capture_default_str();
  node
    ->add_option("--idle-limit", evaluation.idle_limit,
                 "evaluator: seconds without a new version after which it ends (0: never)")
    ->capture_default_str();
  node->add_option("--section", evaluation.section, "evaluator: train, validation or test")
    ->capture_default_str();
  node->footer("\nExamples:\n"
               "  troupe certs init certs && troupe certs node certs ps-0 worker-0 worker-1\n"
               "  troupe node --role ps --ps 127.0.0.1:20000 --certs certs\n"
               "  troupe node --role worker --index 0 --workers 2 --ps 127.0.0.1:20000 --certs "
               "certs run.yaml\n"
               "  troupe node --role worker --index 1 --workers 2 --ps 127.0.0.1:20000 --certs "
               "certs run.yaml\n"
               "  troupe node --role evaluator --workers 2 --ps 127.0.0.1:20000 --certs certs "
               "run.yaml\n"
               "  srun -n 4 troupe node --certs certs --name node run.yaml\n");
}

void add_log(CLI::App& app, LogCommand& command) {
  auto* log = app.add_subcommand("log", "Print the logs of runs, also while they train");
  log->add_option("runs", command.runs,
                  "folders of runs or of launched clusters, or 'latest'; with --store: names of "
                  "runs or first digits of a log's id");
  log->add_flag("--merge", command.merge, "all rows in the order of time, not log after log");
  log->add_flag("--follow,-f", command.follow,
                "go on with rows as they come, until the runs have ended or Ctrl-C");
  log->add_option("--record", command.records, "only this record; may be given again")
    ->allow_extra_args(false);
  log->add_flag("--csv", command.csv, "a line for each record, instead of JSON lines");
  log->add_flag("--json", command.json, "JSON lines (rows are such anyway)");
  log->add_option("--store", command.store,
                  "read from this store (run.store) instead of folders; without runs: list them");
  log->add_flag("--lineage", command.lineage,
                "the starts of the runs: id, and what log each goes on with from where");
  log->footer("\nExamples:\n  troupe log --merge runs/digits/mlp/2026-01-31T12-00-00Z\n"
              "  troupe log --merge --csv --record validation_loss run-a run-b\n"
              "  troupe log --follow --record training_loss latest\n"
              "  troupe log --store logs.sqlite\n"
              "  troupe log --lineage latest\n");
}

void add_plot(CLI::App& app, PlotCommand& command) {
  auto* plot = app.add_subcommand("plot", "Draw curves of runs' logs into an SVG or PNG file");
  plot->add_option("runs", command.runs, "as for `troupe log`")->required();
  plot->add_option("--output,-o", command.output, "the file, .svg or .png")->capture_default_str();
  plot
    ->add_option("--record", command.records,
                 "draw this record; may be given again (without: all losses, accuracies and r2)")
    ->allow_extra_args(false);
  plot
    ->add_option("--against", command.against,
                 "batches, epochs, examples (once a run has ended: its log says then how many "
                 "there were), seconds (of training), time (of the wall clock, which aligns the "
                 "processes of a cluster)")
    ->capture_default_str();
  plot
    ->add_option("--smooth", command.smooth,
                 "each point is so much of the mean before it, from 0 to below 1, like 0.9")
    ->capture_default_str();
  plot->add_flag("--log", command.log, "a logarithmic axis of values");
  plot->add_option("--store", command.store, "read from this store (run.store)");
  plot->footer("\nExamples:\n  troupe plot latest\n"
               "  troupe plot -o curves.png --log run-a run-b\n"
               "  troupe plot --record training_loss --smooth 0.9 --against seconds latest\n");
}

void add_ctl(CLI::App& app, CtlCommand& command) {
  auto* ctl = app.add_subcommand("ctl", "Steer a run that was started with --control");
  ctl->add_option("run", command.run, "the run's folder, 'latest', or host:port")->required();
  ctl->add_option("act", command.verb, "what to do")->required();
  ctl->add_option("words", command.arguments, "of the act");
  ctl->add_option("--token-file", command.token_file,
                  "with host:port: a file with the token, or the run's control.json");
  ctl->add_option("--certs", command.certs, "folder with ca.pem, <name>.pem, <name>.key");
  ctl->add_option("--name", command.name, "of the certificate")->capture_default_str();
  ctl->footer("\nActs (at=N: after batch N, before the next begins):\n"
              "  status [json]                              where it stands, and its extensions\n"
              "  pause [at=N], resume, step [BATCHES]       holds, goes on, so many and holds\n"
              "  stop [after_batch|after_epoch|now] [at=N]  ends it, resumable\n"
              "  set learning_rate=VALUE [at=N]\n"
              "  save [FILE] [at=N]                         into the run's folder\n"
              "  evaluate [train|validation|test] [at=N]\n"
              "  attach TYPE[:NAME] [KEY=VALUE...] [at=N]   as in a configuration's extensions\n"
              "  detach NAME [at=N]\n"
              "  tail [ROWS]                                follows the log until the run ends\n"
              "\nExamples:\n  troupe ctl latest status\n"
              "  troupe ctl latest set learning_rate=0.001 at=1000\n"
              "  troupe ctl latest attach printing:often every_n_batches=10\n"
              "\nExit codes: 0 done; 2 usage; 69 the run does not answer; 74 no such run; 77 wrong "
              "token; 78 refused.\n");
}

struct CertsCommand {
  std::string folder;
  std::vector<std::string> names;
  int days = 365;
};

void add_certs(CLI::App& app, CertsCommand& command) {
  auto* certs = app.add_subcommand(
    "certs", "Make a cluster's certificate authority and its nodes' certificates");
  certs->require_subcommand(1);
  auto* init = certs->add_subcommand("init", "Make an authority: ca.pem and ca.key");
  init->add_option("folder", command.folder, "where")->required();
  auto* node
    = certs->add_subcommand("node", "Make certificates of nodes: <name>.pem and <name>.key");
  node->add_option("folder", command.folder, "of the authority")->required();
  node->add_option("names", command.names, "of the nodes")->required();
  node->add_option("--days", command.days, "valid for so long")->capture_default_str();
}

int certs(const CertsCommand& command) {
  if (command.names.empty())
    make_authority(command.folder);
  for (const auto& name : command.names)
    std::cout << make_identity(command.folder, name, command.days).certificate.string() << "\n";
  return static_cast<int>(ExitCode::done);
}

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
    const auto near = config::nearest(argv[1], commands);
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
