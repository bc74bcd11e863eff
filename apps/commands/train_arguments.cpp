#include "apps/commands/train_arguments.hpp"

#include "apps/catalog/extension_catalog.hpp"
#include "apps/config/components.hpp"
#include "base/text/text.hpp"

#include <CLI/CLI.hpp>

namespace troupe {

namespace {

const char* const train_examples = R"(
Examples:
  troupe train                                       the built-in digits
  troupe train run.yaml training.epochs=3            a configuration, and a change to it
  troupe train model.hidden='[512,512]' optimizer.name=momentum optimizer.learning_rate=0.05
  troupe train training.workers=2                    two replicas against one parameter holder
  troupe train +extensions.stop_after_time_elapsed.total_duration=10m '~extensions.timing'
  troupe train --print-config --sources run.yaml     where each value comes from
  troupe train --resume latest training.epochs=40    goes on where the last run ended
  troupe train trainer=online --model model_best.bin by episodes, from a kept model
  troupe train --control 127.0.0.1:0                 can be steered: troupe ctl latest status
)";

/// A shell's variable that is not set would begin a new run where an old one is meant.
std::string refuse_empty(const std::string& value) {
  return value.empty() ? "is empty; give a path, or leave the option out" : "";
}

std::string refuse_none(const std::string& number) {
  return number == "0" ? "is 0; give 1 or more, or leave the option out" : "";
}

/// What train, node and launch have in common.
void add_training(CLI::App* sub, TrainCommand& command) {
  sub->add_option("words", command.words,
                  "configuration files and changes: a.b=c, +a.b=c (new), ~a.b (delete)");
  sub->add_option("--config,-c", command.files, "a configuration file; the later wins")
    ->allow_extra_args(false);
  sub->add_flag("--json", command.json, "the result as one line of JSON");
  sub->add_flag("--no-progress", command.no_progress, "no progress line");
  sub->add_flag("-q,--quiet", command.quiet, "nothing but the result");
  sub->add_flag("-v,--verbose", command.verbose, "more lines");
}

/// In place of training.
void add_showing(CLI::App* sub, TrainCommand& command) {
  sub->add_flag("--print-config", command.print_config,
                "print the effective configuration and stop");
  sub->add_flag("--sources", command.sources,
                "print it with where each value comes from, and stop");
}

} // namespace

void add_train(CLI::App& app, TrainCommand& command) {
  auto* train
    = app.add_subcommand("train", "Train a model (without a configuration: the built-in digits)");
  add_training(train, command);
  auto* resume = train
                   ->add_option("--resume", command.resume,
                                "go on with the run in this folder, or with 'latest'")
                   ->check(refuse_empty);
  train
    ->add_option("--folder", command.folder,
                 "train in this folder; goes on with what a run has saved there")
    ->check(refuse_empty)
    ->excludes(resume);
  train
    ->add_option("--home", command.home,
                 "with --folder: what results call it, where it is to be moved later")
    ->needs("--folder");
  const auto override_by = [&command](const std::string& key) {
    return [&command, key](const std::string& value) { command.words.push_back(key + value); };
  };
  train
    ->add_option_function<std::string>("--model", override_by("model.load="),
                                       "begin with the parameters of this model's file, over "
                                       "model.load of the configuration")
    ->check(refuse_empty);
  train->add_option_function<std::string>("--control", override_by("control.address="),
                                          "let `troupe ctl` steer the run, at host:port (port 0: "
                                          "any free one)");
  train->add_option_function<std::string>("--certs", override_by("control.certs="),
                                          "folder with ca.pem, <name>.pem, <name>.key, for "
                                          "--control beyond loopback");
  train->add_flag_callback(
    "--insecure", [&command] { command.words.emplace_back("control.insecure=true"); },
    "with --control: plain TCP on loopback, open to every account of this machine");
  train->add_option_function<std::string>("--name", override_by("control.name="),
                                          "of the certificate (default: control)");
  train->add_flag_callback(
    "--paused", [&command] { command.words.emplace_back("control.paused=true"); },
    "with --control: hold before the first batch until told to go on");
  add_showing(train, command);
  train->add_option("--explain", command.explain,
                    "print where the value of a key, or of all keys below it, comes from, and what "
                    "it would be otherwise, and stop");
  train->footer("Problems: " + joined(problem_names()) + ". Models: " + joined(model_names())
                + ". Optimizers: " + joined(optimizer_names())
                + ".\nExtensions: " + joined(extension_names()) + ".\n" + train_examples);
}

void add_launch(CLI::App& app, LaunchCommand& command) {
  auto* launch = app.add_subcommand("launch", "Train in a cluster of processes on this machine");
  add_training(launch, command.train);
  add_showing(launch, command.train);
  launch
    ->add_option("-n,--workers", command.workers,
                 "how many workers (default: 2, or those of the run in --folder)")
    ->check(refuse_none);
  launch->add_option("--at-most", command.at_most, "so many workers run at once (0: all)")
    ->capture_default_str();
  launch
    ->add_option("-p,--shards", command.shards,
                 "how many parameter holders, a range each (default: 1, or as in --folder)")
    ->check(refuse_none);
  launch
    ->add_option("--folder", command.folder,
                 "train in this folder; goes on with what a launched run has saved there")
    ->check(refuse_empty);
  launch->add_option("--walltime", command.walltime,
                     "H:MM:SS after which all is over; cluster.grace seconds before, training "
                     "ends and is saved");
  launch->add_option("--devices", command.devices,
                     "a,b,...: one for each worker, in its environment as TROUPE_DEVICE");
  launch->add_option("--job-name", command.job_name,
                     "in the workers' environment (default: the name of the run's folder)");
  launch->add_flag("--evaluator", command.evaluator,
                   "one more process, which measures the newest parameters while the others train");
  launch
    ->add_option("--restarts", command.restarts,
                 "so many times within 60 s processes that crash are started again; the next crash "
                 "ends the run (0: never)")
    ->capture_default_str();
  launch->add_flag("--insecure", command.insecure, "plain TCP on loopback instead of mutual TLS");
  launch->add_option("--grace", command.grace, "seconds for a process to end in good order")
    ->capture_default_str();
  launch->footer(
    "\nExamples:\n  troupe launch -n 2\n  troupe launch -n 4 run.yaml training.epochs=3\n"
    "  troupe launch -n 4 --print-config run.yaml         what its workers would train\n");
}

void add_node(CLI::App& app, NodeCommand& command) {
  auto* node = app.add_subcommand(
    "node", "Be one process of a cluster: its parameter holder, a worker or the evaluator");
  add_training(node, command.train);
  add_showing(node, command.train);
  node->add_option("--role", command.role,
                   "ps, worker, master or evaluator (without it: as the environment says)");
  node->add_option("--index", command.index, "number of this process in its role");
  node->add_option("--ps", command.ps, "host:port of each parameter holder, separated by commas");
  node->add_option("--workers", command.workers, "host:port of each worker, or how many there are");
  node->add_flag("--master", command.master, "the cluster has a master besides its workers");
  node
    ->add_option_function<std::string>(
      "--cluster",
      [&command](const std::string& need) { command.cluster_required = need == "required"; },
      "without --role, of an environment that names no cluster: optional (train alone) or "
      "required (refuse)")
    ->check(CLI::IsMember({"optional", "required"}));
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

void add_simulate(CLI::App& app, SimulateCommand& command) {
  auto* simulate = app.add_subcommand(
    "simulate", "Rehearse a cluster in this process: virtual time, a network in numbers");
  add_training(simulate, command.train);
  add_showing(simulate, command.train);
  simulate->add_option("-n,--workers", command.workers, "how many workers")->capture_default_str();
  simulate->add_option("-p,--shards", command.holders, "how many parameter holders, a range each")
    ->capture_default_str();
  simulate
    ->add_option("--step", command.step,
                 "seconds that a batch lasts, of all workers or of each: 0.05,0.05,0.2 (default: "
                 "0.05)")
    ->delimiter(',')
    ->allow_extra_args(false);
  simulate->add_option("--latency", command.latency, "milliseconds that each message is on its way")
    ->capture_default_str();
  simulate->add_option("--jitter", command.jitter, "milliseconds at most on top, drawn for each")
    ->capture_default_str();
  simulate
    ->add_option("--bandwidth", command.bandwidth,
                 "megabits per second of each node's line, each way (inf: no limit)")
    ->capture_default_str();
  simulate
    ->add_option("--loss", command.loss,
                 "share of messages that are lost, and sent again after 0.2 s or more")
    ->capture_default_str();
  simulate->add_option("--network-seed", command.network_seed,
                       "of what the network draws, so that the same training meets other luck "
                       "(default: training.seed)");
  simulate
    ->add_option(
      "--cut", command.cuts,
      "WORKER:FROM:UNTIL, or psHOLDER:FROM:UNTIL, in seconds: is cut off from all others")
    ->allow_extra_args(false);
  simulate->add_option("--kill", command.kills, "WORKER:AT, in seconds: dies without a word")
    ->allow_extra_args(false);
  simulate->add_option("--trace", command.trace, "a file that gets a line for each message");
  simulate->footer(
    "\nExamples:\n"
    "  troupe simulate -n 8 run.yaml training.epochs=3\n"
    "  troupe simulate -n 4 --step 0.05,0.05,0.05,0.2 --bandwidth 100 --cut 1:10:20\n");
}

} // namespace troupe
