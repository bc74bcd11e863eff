#include "apps/commands/simulate.hpp"

#include "apps/folder/cluster_folder.hpp"
#include "apps/folder/problem_file.hpp"
#include "apps/folder/run_files.hpp"
#include "apps/folder/run_folder.hpp"
#include "apps/folder/unstarted_run.hpp"
#include "apps/process/progress_line.hpp"
#include "apps/run_config/warm_start.hpp"
#include "apps/session/data_checks.hpp"
#include "apps/session/reported_state.hpp"
#include "apps/session/result_text.hpp"
#include "apps/session/run_checks.hpp"
#include "apps/session/run_end.hpp"
#include "apps/session/run_problem.hpp"
#include "apps/session/shown_config.hpp"
#include "apps/session/small_table.hpp"
#include "apps/simulate/simulated_cluster.hpp"
#include "apps/simulate/simulation_text.hpp"
#include "base/files/durable_file.hpp"
#include "base/files/private_files.hpp"
#include "base/files/synchronising_pause.hpp"
#include "base/text/number_in.hpp"
#include "base/text/split.hpp"
#include "base/text/text.hpp"
#include "extensions/support/extension_kind.hpp"

#include <signal.h>
#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <cmath>
#include <fstream>
#include <iostream>
#include <utility>

namespace troupe {

namespace {

using Clock = std::chrono::steady_clock;

double seconds_in(const std::string& text, const std::string& option) {
  const auto seconds = number_in<double>(text);
  if (!seconds || !(*seconds >= 0) || std::isinf(*seconds))
    throw UsageError(option + ": '" + text + "' is not a time; give seconds, 0 or more");
  return *seconds;
}

std::size_t number_below(const std::string& text, int count, const std::string& kind,
                         const std::string& option) {
  const auto number = number_in<int>(text);
  if (!number || *number < 0 || *number >= count)
    throw UsageError(option + ": there is no " + kind + " '" + text + "'; the " + kind
                     + "s are 0 to " + std::to_string(count - 1));
  return static_cast<std::size_t>(*number);
}

std::vector<Outage> outages_of(const SimulateCommand& command) {
  std::vector<Outage> outages;
  for (const auto& cut : command.cuts) {
    const auto option = "--cut " + cut;
    const auto parts = split_at(':', cut);
    if (parts.size() != 3)
      throw UsageError(option + ": give WORKER:FROM:UNTIL in seconds, like 1:10:15, or ps0:10:15");
    Outage outage;
    outage.node = parts[0].starts_with("ps")
                    ? static_cast<std::size_t>(command.workers)
                        + number_below(parts[0].substr(2), command.holders, "holder", option)
                    : number_below(parts[0], command.workers, "worker", option);
    outage.from = seconds_in(parts[1], option);
    outage.until = seconds_in(parts[2], option);
    if (outage.until <= outage.from)
      throw UsageError(option + ": it ends before it begins");
    outages.push_back(outage);
  }
  return outages;
}

std::vector<Death> deaths_of(const SimulateCommand& command) {
  std::vector<Death> deaths;
  for (const auto& kill : command.kills) {
    const auto option = "--kill " + kill;
    const auto parts = split_at(':', kill);
    if (parts.size() != 2)
      throw UsageError(option + ": give WORKER:AT in seconds, like 1:30");
    deaths.push_back(
      {static_cast<WorkerId>(number_below(parts[0], command.workers, "worker", option)),
       seconds_in(parts[1], option)});
  }
  return deaths;
}

std::vector<double> steps_of(const SimulateCommand& command) {
  if (command.step.size() > 1 && command.step.size() != static_cast<std::size_t>(command.workers))
    throw UsageError("--step gives " + std::to_string(command.step.size()) + " times for "
                     + std::to_string(command.workers)
                     + " workers; give one for all, or one for each");
  for (const auto seconds : command.step)
    if (!(seconds > 0) || std::isinf(seconds))
      throw UsageError("--step: a batch lasts " + shortest(seconds)
                       + " s; give a time greater than 0");
  return command.step.empty() ? std::vector<double>{0.05} : command.step;
}

SimulatedNetworkOptions network_of(const SimulateCommand& command) {
  SimulatedNetworkOptions network;
  network.latency = command.latency / 1e3;
  network.jitter = command.jitter / 1e3;
  network.bandwidth = command.bandwidth * 1e6 / 8;
  network.loss = command.loss;
  if (const auto why = defect(network); !why.empty())
    throw UsageError("the options of the simulated network are invalid: " + why);
  return network;
}

/// Refuses options that need threads, other processes or the wall clock, which virtual time has
/// not.
void check_simulated(const RunConfig& config) {
  Sentences errors;
  if (config.training.loader.ahead > 0)
    errors.push_back(
      "training.loader.ahead is " + std::to_string(config.training.loader.ahead)
      + ", but a loader runs in its own thread, outside of virtual time; set it to 0");
  if (!config.control.address.empty())
    errors.push_back("control.address is '" + config.control.address
                     + "', but a simulation has no remote control; remove it");
  if (!errors.empty())
    throw ConfigError(errors);
}

/// A progress line on a terminal during the simulation.
class Progress {
public:
  explicit Progress(bool shown) : shown_(shown) {}

  void clear() { line_.clear(); }

  void show(const std::string& line) {
    const auto now = Clock::now();
    if (!shown_ || !line_.redraws() || now - last_ < std::chrono::milliseconds{250})
      return;
    last_ = now;
    line_.show("simulated " + line.substr(0, line.find(' ')) + " s");
  }

private:
  bool shown_;
  ProgressLine line_;
  Clock::time_point last_ = Clock::now();
};

volatile sig_atomic_t simulation_was_interrupted = 0;

void interrupt_simulation(int) { simulation_was_interrupted = 1; }

/// Records the first Ctrl-C during its lifetime; the second one ends the program as usual.
class NotedInterrupt {
public:
  NotedInterrupt() {
    struct sigaction action {};
    action.sa_handler = interrupt_simulation;
    action.sa_flags = static_cast<int>(SA_RESETHAND | SA_RESTART);
    sigaction(SIGINT, &action, &before_);
  }
  ~NotedInterrupt() { sigaction(SIGINT, &before_, nullptr); }
  NotedInterrupt(const NotedInterrupt&) = delete;
  NotedInterrupt& operator=(const NotedInterrupt&) = delete;

  bool came() const { return simulation_was_interrupted != 0; }

private:
  struct sigaction before_ {};
};

/// Ends the program between two messages. No file is half written: this is the only thread.
[[noreturn]] void end_interrupted(const std::string& line, const std::filesystem::path& folder) {
  std::cerr << "interrupted: the simulation ends here, " << line.substr(0, line.find(' '))
            << " s after it began, without results; the logs are in " << folder.string()
            << std::endl;
  _exit(static_cast<int>(ExitCode::interrupted));
}

/// How many workers leave files: all if an extension needs its folder.
WorkerId workers_with_files(const SimulateCommand& command, const RunConfig& config) {
  const auto writes_files = [](const ConfiguredExtension& extension) {
    return has_hook(extension.type, &RunHooks<>::writes_files);
  };
  const auto all = !best_state_of(config).empty()
                   || std::any_of(config.extensions.begin(), config.extensions.end(), writes_files);
  return static_cast<WorkerId>(all ? command.workers : std::min(command.files, command.workers));
}

/// Writes the workers' files where a launched run has them.
void write_simulation(const RunConfig& config, const SimulatedClusterOptions& options,
                      const SimulatedRun& run) {
  for (WorkerId worker = 0; worker < options.files; ++worker)
    if (run.workers[worker]) {
      const auto folder = folder_of_worker(options.folder, worker);
      write_results(folder, *run.workers[worker], folder);
    }
  write_file(options.folder / "simulation.json", simulation_json(run, config, options) + "\n");
}

void make_folders(const RunConfig& config, const SimulatedClusterOptions& options,
                  const Problem& problem) {
  write_configuration(options.folder, repeatable(config.tree));
  claim(options.folder, {{}, options.workers, static_cast<int>(options.holders)});
  for (WorkerId worker = 0; worker < options.files; ++worker) {
    const auto folder = folder_of_worker(options.folder, worker);
    make_private_folder(folder);
    write_configuration(folder, repeatable(config.tree));
    write_fit(folder, problem);
    claim(folder, {worker, options.workers});
  }
}

} // namespace

int simulate(const SimulateCommand& command) {
  if (command.workers < 2 || command.holders < 1)
    throw UsageError("a cluster has 2 workers or more and a parameter holder; for a single worker "
                     "use `troupe train`");
  if (command.files < 1)
    throw UsageError("--files " + std::to_string(command.files)
                     + ": the first worker always leaves files; give the number of workers that "
                       "do, 1 or more");
  SimulatedClusterOptions options;
  options.workers = static_cast<WorkerId>(command.workers);
  options.holders = static_cast<std::size_t>(command.holders);
  options.step = steps_of(command);
  options.network = network_of(command);
  options.outages = outages_of(command);
  options.deaths = deaths_of(command);
  options.network_seed = command.network_seed;
  options.console = !command.train.quiet;
  options.level = command.train.verbose ? Level::debug : Level::info;

  const auto given = cluster_configuration(command.train, options.workers);
  auto train = command.train;
  train.arguments.emplace_back("training.workers=1"); // of each process
  auto config = cluster_configuration(train, options.workers);
  if (shows_config(command.train))
    return show_checked_config(command.train, config, options.workers);
  for (const auto& remark : config.remarks)
    std::cerr << remark << std::endl;
  if (const auto remark = unused_workers(given, options.workers); !remark.empty())
    std::cerr << remark << std::endl;
  check_simulated(config);
  options.files = workers_with_files(command, config);
  const auto problem = problem_of(config);
  if (const auto longer = lengthen_for_small_table(config, *problem); !longer.empty())
    std::cerr << longer << std::endl;
  const auto model = model_of(config, *problem);
  check_trainable(config, problem, *model, {0, options.workers},
                  counts_to_train_on(config, *problem));
  check_loads(config, model->layout());
  std::ofstream trace;
  if (!command.trace.empty()) {
    trace.open(command.trace);
    if (!trace)
      throw IoError("the trace cannot be written to '" + command.trace + "'");
  }
  // A rehearsal that a power failure ends is repeated; synchronising the files of each worker would
  // take most of its time.
  const SynchronisingPause pause{true};
  UnstartedRun unstarted{config.run.root};
  options.folder = make_process_folder(config, nullptr);
  unstarted.made(options.folder);
  options.begins = [&] {
    unstarted.begin();
    point_latest_if_possible(config.run.root, options.folder);
  };
  make_folders(config, options, *problem);
  if (!command.train.quiet) {
    auto whole = config;
    whole.training.workers = options.workers;
    std::cerr << wrapped_to_window(headline(whole, *problem, *model) + "; " + network_text(options))
              << "\n";
  }

  const auto began = Clock::now();
  SimulatedRun run;
  {
    Progress progress{options.console && !command.train.no_progress};
    const NotedInterrupt interrupt;
    options.trace = [&](const std::string& line) {
      progress.show(line);
      if (trace.is_open())
        trace << line << '\n';
      if (interrupt.came()) {
        progress.clear();
        trace.flush();
        end_interrupted(line, options.folder);
      }
    };
    run = simulate_cluster(config, options, problem);
  }
  write_simulation(config, options, run);
  const auto took = std::chrono::duration<double>(Clock::now() - began).count();
  std::cout << (command.train.json ? simulation_json(run, config, options)
                                   : shown_results(simulation_text(run, config, options, took)))
            << std::endl;
  if (trace.is_open() && !trace.flush())
    throw IoError("the trace cannot be written to '" + command.trace + "': is the disk full?");
  const auto failed = first_failure(run);
  if (!failed.empty())
    std::cerr << "troupe: " << failed << std::endl;
  return static_cast<int>(failed.empty() ? ExitCode::done : ExitCode::internal);
}

} // namespace troupe
