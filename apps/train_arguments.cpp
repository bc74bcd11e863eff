#include "apps/train_arguments.hpp"

#include "apps/catalog/components.hpp"
#include "apps/catalog/extension_catalog.hpp"
#include "base/text/text.hpp"

#include <CLI/CLI.hpp>

namespace troupe {

namespace {

const char* const train_examples = R"(
Examples:
  troupe train                                       the built-in digits
  troupe train run.yaml training.epochs=3            a configuration with an override
  troupe train model.hidden='[512,512]' optimizer.name=momentum optimizer.learning_rate=0.05
  troupe train training.workers=2                    two replicas against one parameter holder
  troupe train +extensions.stop_after_time_elapsed.total_duration=10m '~extensions.timing'
  troupe train --print-config --sources run.yaml     where each value comes from
  troupe train --resume latest training.epochs=40    continues where the last run ended
  troupe train trainer=online --model model_best.bin by episodes, from a saved model
  troupe train --control 127.0.0.1:0                 remote control: troupe ctl latest status
)";

std::string refuse_none(const std::string& number) {
  return number == "0" ? "is 0; give 1 or more, or omit the option" : "";
}

/// The options that train, launch, node and simulate share.
void add_training(CLI::App* sub, TrainCommand& command) {
  sub->add_option("arguments", command.arguments,
                  "configuration files and overrides: a.b=c, +a.b=c (add), ~a.b (delete)");
  sub
    ->add_option("--config,-c", command.files,
                 "a configuration file; may be repeated, later files take precedence")
    ->allow_extra_args(false);
  sub->add_flag("--json", command.json, "print the result as one line of JSON");
  sub->add_flag("--no-progress", command.no_progress, "do not show the progress line");
  sub->add_flag("-q,--quiet", command.quiet, "print only the result");
  sub->add_flag("-v,--verbose", command.verbose, "print more messages");
}

/// The options that show the configuration in place of training.
void add_showing(CLI::App* sub, TrainCommand& command) {
  sub->add_flag("--print-config", command.print_config,
                "print the effective configuration and exit");
  sub->add_flag("--sources", command.sources,
                "print the effective configuration with the source of each value, and exit");
}

} // namespace

void add_train(CLI::App& app, TrainCommand& command) {
  auto* train
    = app.add_subcommand("train", "Train a model (without a configuration: the built-in digits)");
  add_training(train, command);
  auto* resume
    = train->add_option("--resume", command.resume, "continue the run in this folder, or 'latest'");
  train
    ->add_option("--folder", command.folder,
                 "train in this folder; continue a run that was saved there")
    ->excludes(resume);
  train
    ->add_option("--home", command.home,
                 "with --folder: the path that results name, if the folder is moved there later")
    ->needs("--folder");
  const auto override_by = [&command](const std::string& key) {
    return [&command, key](const std::string& value) { command.arguments.push_back(key + value); };
  };
  train->add_option_function<std::string>(
    "--model", override_by("model.load="),
    "start from the parameters in this model file; takes precedence over model.load");
  train->add_option_function<std::string>(
    "--control", override_by("control.address="),
    "accept remote control by `troupe ctl` at host:port (port 0: any free port)");
  train->add_option_function<std::string>(
    "--certs", override_by("control.certs="),
    "folder with ca.pem, <name>.pem and <name>.key, for --control beyond loopback");
  train->add_flag_callback(
    "--gpu", [&command] { command.arguments.emplace_back("training.device=cuda"); },
    "the graphics card trains: training.device=cuda");
  train->add_flag_callback(
    "--insecure", [&command] { command.arguments.emplace_back("control.insecure=true"); },
    "with --control: plain TCP on loopback, open to every account on this machine");
  train->add_option_function<std::string>("--name", override_by("control.name="),
                                          "name of the certificate (default: control)");
  train->add_flag_callback(
    "--paused", [&command] { command.arguments.emplace_back("control.paused=true"); },
    "with --control: pause before the first batch until `troupe ctl` resumes the run");
  add_showing(train, command);
  train->add_option("--explain", command.explain,
                    "print the source of a key's value, or of all keys below it, and the values it "
                    "overrides, and exit");
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
                 "number of workers (default: 2, or as in --folder)")
    ->check(refuse_none);
  launch
    ->add_option("--at-most", command.at_most,
                 "largest number of workers that run at the same time (0: all)")
    ->capture_default_str();
  launch
    ->add_option("-p,--shards", command.shards,
                 "number of parameter holders, each with a shard of the parameters (default: 1, or "
                 "as in --folder)")
    ->check(refuse_none);
  launch->add_option("--folder", command.folder,
                     "train in this folder; continue a launched run that was saved there");
  launch->add_option("--walltime", command.walltime,
                     "H:MM:SS after which all processes are ended; training saves and ends "
                     "cluster.grace seconds earlier");
  launch->add_option("--devices", command.devices,
                     "a,b,...: one for each worker, set as TROUPE_DEVICE in its environment");
  launch->add_option(
    "--job-name", command.job_name,
    "job name in the workers' environment (default: the name of the run's folder)");
  launch->add_flag("--evaluator", command.evaluator,
                   "add a process that evaluates the newest parameters during training");
  launch
    ->add_option("--restarts", command.restarts,
                 "largest number of restarts of crashed processes within 60 s; the next crash ends "
                 "the run (0: never restart)")
    ->capture_default_str();
  launch->add_flag("--insecure", command.insecure,
                   "use plain TCP on loopback instead of mutual TLS");
  launch
    ->add_option("--grace", command.grace, "seconds that a process has to end before it is killed")
    ->capture_default_str();
  launch->footer(
    "\nExamples:\n  troupe launch -n 2\n  troupe launch -n 4 run.yaml training.epochs=3\n"
    "  troupe launch -n 4 --print-config run.yaml         what its workers would train\n");
}

void add_node(CLI::App& app, NodeCommand& command) {
  auto* node = app.add_subcommand(
    "node", "Run one process of a cluster: a parameter holder, a worker or the evaluator");
  add_training(node, command.train);
  add_showing(node, command.train);
  node->add_option("--role", command.role,
                   "ps, worker, master or evaluator (default: from the environment)");
  node->add_option("--index", command.index, "index of this process within its role, from 0");
  node->add_option("--ps", command.ps, "host:port of each parameter holder, separated by commas");
  node->add_option("--workers", command.workers,
                   "host:port of each worker, or the number of workers");
  node->add_flag("--master", command.master, "the cluster has a master besides its workers");
  node
    ->add_option_function<std::string>(
      "--cluster",
      [&command](const std::string& need) { command.cluster_required = need == "required"; },
      "without --role, if the environment names no cluster: optional (train alone) or required "
      "(fail)")
    ->check(CLI::IsMember({"optional", "required"}));
  node->add_option("--certs", command.certs, "folder with ca.pem, <name>.pem and <name>.key");
  node->add_option("--name", command.name,
                   "name of this node's certificate (default: <role>-<index>)");
  node->add_flag("--insecure", command.insecure, "use plain TCP, on loopback only");
  node->add_option("--folder", command.folder,
                   "folder for this node's files; a ps continues from the state saved there");
  node->add_flag("--keep-running", command.keep_running,
                 "ps: keep running when all workers have left");
  node->add_option("--save-every", command.save_every, "ps: seconds between two saves")
    ->capture_default_str();
  node
    ->add_option("--pushes-per-second", command.pushes_per_second,
                 "ps: limit for the pushes of all workers together (0: no limit)")
    ->capture_default_str();
  node->add_option("--port-file", command.port_file,
                   "ps: write the port to this file once it listens");
  node
    ->add_option("--join-deadline", command.join_deadline,
                 "seconds to wait for the parameter holder")
    ->capture_default_str();
  node->add_flag(
    "--last-worker-evaluates", command.last_worker_evaluates,
    "the last worker of a cluster from the environment evaluates; give this to every process");
  auto& evaluation = command.evaluation;
  node
    ->add_option("--every", evaluation.every,
                 "evaluator: number of new versions between two evaluations")
    ->capture_default_str();
  node
    ->add_option("--idle-limit", evaluation.idle_limit,
                 "evaluator: end after this many seconds without a new version (0: never)")
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
    "simulate",
    "Predict how a cluster trains: in this process, in virtual time, over a simulated network");
  add_training(simulate, command.train);
  add_showing(simulate, command.train);
  simulate->add_option("-n,--workers", command.workers, "number of workers")->capture_default_str();
  simulate
    ->add_option("-p,--shards", command.holders,
                 "number of parameter holders, each with a shard of the parameters")
    ->capture_default_str();
  simulate
    ->add_option(
      "--step", command.step,
      "seconds that a batch takes, for all workers or one for each: 0.05,0.05,0.2 (default: 0.05)")
    ->delimiter(',')
    ->allow_extra_args(false);
  simulate->add_option("--latency", command.latency, "milliseconds of latency for each message")
    ->capture_default_str();
  simulate
    ->add_option("--jitter", command.jitter,
                 "largest additional latency in milliseconds, drawn for each message")
    ->capture_default_str();
  simulate
    ->add_option("--bandwidth", command.bandwidth,
                 "megabits per second of each node, in each direction (inf: no limit)")
    ->capture_default_str();
  simulate
    ->add_option("--loss", command.loss,
                 "share of messages that are lost and sent again after 0.2 s or more")
    ->capture_default_str();
  simulate->add_option("--network-seed", command.network_seed,
                       "seed of the network's random numbers (default: training.seed)");
  simulate
    ->add_option(
      "--cut", command.cuts,
      "WORKER:FROM:UNTIL or psHOLDER:FROM:UNTIL, in seconds: disconnect this node from all others")
    ->allow_extra_args(false);
  simulate->add_option("--kill", command.kills, "WORKER:AT, in seconds: kill this worker")
    ->allow_extra_args(false);
  simulate
    ->add_option("--files", command.files,
                 "number of workers that leave files, from worker 0 on; the others leave their "
                 "results in simulation.json")
    ->capture_default_str();
  simulate->add_option("--trace", command.trace, "write a line for each message to this file");
  simulate->footer(
    "\nExamples:\n"
    "  troupe simulate -n 8 run.yaml training.epochs=3\n"
    "  troupe simulate -n 4 --step 0.05,0.05,0.05,0.2 --bandwidth 100 --cut 1:10:20\n");
}

} // namespace troupe
