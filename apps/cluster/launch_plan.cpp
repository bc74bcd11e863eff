#include "apps/cluster/launch_plan.hpp"

#include "apps/cluster/batch_job.hpp"
#include "apps/cluster/launch_variables.hpp"
#include "apps/config/print.hpp"
#include "apps/folder/cluster_folder.hpp"
#include "apps/folder/problem_file.hpp"
#include "apps/folder/run_files.hpp"
#include "apps/folder/run_folder.hpp"
#include "apps/run_config/wanted_extensions.hpp"
#include "apps/run_config/warm_start.hpp"
#include "apps/session/data_checks.hpp"
#include "apps/session/run_checks.hpp"
#include "apps/session/run_end.hpp"
#include "apps/session/run_problem.hpp"
#include "apps/session/shown_problem.hpp"
#include "apps/session/small_table.hpp"
#include "base/files/checked_text.hpp"
#include "base/files/private_files.hpp"
#include "base/text/duration.hpp"
#include "base/text/split.hpp"
#include "base/text/text.hpp"
#include "extensions/support/extension_kind.hpp"

#include <chrono>

namespace troupe {

namespace {

int number_in_range(const std::string& option, int number, int least, int most,
                    const std::string& what) {
  if (number < least || number > most)
    throw UsageError(option + " " + std::to_string(number) + ": give a number of " + what + " from "
                     + std::to_string(least) + " to " + std::to_string(most));
  return number;
}

/// A resumed run keeps its numbers: others would give the workers other shares of the data.
int unchanged(const std::string& option, int given, int before, const std::string& folder) {
  if (given != 0 && given != before)
    throw UsageError(option + " " + std::to_string(given) + ", but the run in '" + folder + "' has "
                     + std::to_string(before) + "; omit " + option);
  return before;
}

std::vector<std::string> devices_of(const LaunchCommand& command, int workers) {
  if (command.devices.empty())
    return {};
  auto devices = split_at(',', command.devices);
  if (devices.size() != static_cast<std::size_t>(workers))
    throw UsageError("--devices " + command.devices + " names " + std::to_string(devices.size())
                     + " for " + quantity(static_cast<std::uint64_t>(workers), "worker")
                     + "; give one for each, separated by commas; a device may be repeated");
  return devices;
}

std::optional<Interrupts::Moment> moment_after(const std::string& walltime) {
  if (walltime.empty())
    return {};
  try {
    const auto length = parse_duration(walltime);
    constexpr double longest = 1e9; // seconds that a clock can represent
    if (length.count() > longest)
      return {};
    return Interrupts::Moment::clock::now()
           + std::chrono::duration_cast<Interrupts::Moment::duration>(length);
  } catch (const std::invalid_argument& e) {
    throw UsageError(std::string{"--walltime: "} + e.what());
  }
}

/// A round needs pushes of all workers, but with --at-most some start only after others have ended.
void check_rounds(const LaunchCommand& command, const RunConfig& config, int workers) {
  if (command.at_most == 0 || command.at_most >= workers)
    return;
  for (const auto& extension : config.extensions)
    if (const auto sharing = hook_answer(extension, &RunHooks<>::shares);
        sharing && sharing->in_rounds)
      throw ConfigError("extensions." + extension.name
                        + " has `staleness: 0`, whose rounds need all " + std::to_string(workers)
                        + " workers at once, but --at-most " + std::to_string(command.at_most)
                        + " starts some only when others have ended; omit --at-most, or give "
                          "another staleness, like unbounded");
}

/// The reason why a worker has nothing left to do; nothing if it has work.
std::optional<std::string> end_of_worker(const std::filesystem::path& folder, const FoundRun& found,
                                         const RunConfig& config, int workers) {
  if (auto reason = written_end(folder, found, config))
    return reason;
  // A fast worker may have done more than all workers have to do now.
  auto reason = reached_end(found.run, config.training, static_cast<WorkerId>(workers));
  if (reason.empty() || !found.run.trainers.front().causes.empty()) // it must repeat its end
    return {};
  return reason;
}

/// Checks that the workers can resume from their states. @returns the workers that need not, with
/// the reason
std::map<int, std::string> ended_in(const std::filesystem::path& folder, int workers,
                                    const RunConfig& config, const std::string& fit,
                                    const std::shared_ptr<const Problem>& problem,
                                    const Layout& layout) {
  std::map<int, std::string> ended;
  std::string cure = "start another run in another folder";
  Epoch most = 0;
  for (int i = 0; i < workers; ++i) {
    const auto worker = static_cast<WorkerId>(i);
    const auto own = folder_of_worker(folder, worker);
    auto found = begun_run(own);
    if (!found)
      continue;
    forget_end(found->run, config.training.epochs);
    if (auto reason = end_of_worker(own, *found, config, workers)) {
      const auto epochs = found->run.trainers.front().position.epochs;
      if (says_epochs_done(*reason, epochs) && epochs >= most) {
        most = epochs;
        cure = "give it more, like training.epochs=" + std::to_string(epochs + 10);
      }
      ended[i] = std::move(*reason);
    } else {
      check_resumable(*found, config, fit, problem, {worker, static_cast<WorkerId>(workers)});
      check_state(*found, config, layout);
    }
  }
  if (ended.size() == static_cast<std::size_t>(workers))
    throw ConfigError("the run in '" + folder.string()
                      + "' has nothing left to do: " + ended.begin()->second + "; " + cure);
  return ended;
}

/// @throws ConfigError if the folder has a run that was not launched.
void check_free(const std::filesystem::path& folder) {
  if (has_state(folder) || std::filesystem::exists(folder / "config.yaml"))
    throw ConfigError(
      "'" + folder.string()
      + "' has a run that was not launched as a cluster; continue it with `troupe train --resume "
      + folder.string() + "`, or give a new folder");
}

/// Removes files of the earlier processes that the new ones write again.
void remove_old_files(const std::filesystem::path& folder, int shards) {
  const auto remove = [](const std::filesystem::path& path) {
    std::error_code error;
    std::filesystem::remove_all(path, error);
    if (error)
      throw IoError("cannot remove '" + path.string() + "': " + error.message());
  };
  remove(folder / "certificates");
  for (int i = 0; i < shards; ++i)
    remove(folder / (name_of_holder(i) + ".port"));
}

std::vector<std::string> with_trust(std::vector<std::string> arguments,
                                    const LaunchCommand& command, const LaunchPlan& plan,
                                    const std::string& name) {
  const std::vector<std::string> trust
    = command.insecure ? std::vector<std::string>{"--insecure"}
                       : std::vector<std::string>{
                         "--certs", (plan.folder / "certificates").string(), "--name", name};
  arguments.insert(arguments.end(), trust.begin(), trust.end());
  return arguments;
}

/// What a command launches, with the numbers of a resumed run.
struct LaunchedRun {
  bool before = false; ///< resumes a launched run in the command's folder
  int workers = 0, shards = 0;
  TrainCommand train; ///< the command's arguments, on top of a resumed run's configuration
};

LaunchedRun launched_by(const LaunchCommand& command) {
  LaunchedRun run{false, command.workers, command.shards, command.train};
  const auto before = command.folder.empty() ? std::nullopt : claim_of(command.folder);
  if (before && before->worker)
    throw ConfigError("'" + command.folder
                      + "' is the folder of one worker; give the folder of the run");
  if (!before && !command.folder.empty())
    check_free(command.folder);
  if (before) {
    run.before = true;
    check_yaml_file(std::filesystem::path{command.folder} / "config.yaml");
    run.workers
      = unchanged("-n", command.workers, static_cast<int>(before->workers), command.folder);
    run.shards = unchanged("-p", command.shards, before->holders, command.folder);
    run.train.files.insert(run.train.files.begin(), command.folder + "/config.yaml");
  }
  constexpr int most_launched = 512, most_shards = 64;
  run.workers
    = number_in_range("-n", run.workers == 0 ? 2 : run.workers, 1, most_launched, "workers");
  run.shards
    = number_in_range("-p", run.shards == 0 ? 1 : run.shards, 1, most_shards, "parameter holders");
  number_in_range("--at-most", command.at_most, 0, most_launched,
                  "workers that run at the same time");
  if (!(command.grace >= 0 && command.grace <= 86400))
    throw UsageError("--grace " + shortest(command.grace)
                     + ": give a number of seconds up to a day, like 10");
  constexpr int most_restarts = 1000;
  number_in_range("--restarts", command.restarts, 0, most_restarts, "restarts within a minute");
  return run;
}

} // namespace

RunConfig configuration_of_workers(const LaunchCommand& command) {
  const auto run = launched_by(command);
  ClusterMember member;
  member.workers = static_cast<WorkerId>(run.workers);
  return read_configuration(run.train, &member);
}

WorkerId workers_of(const LaunchCommand& command) {
  return static_cast<WorkerId>(launched_by(command).workers);
}

LaunchPlan plan_of(const LaunchCommand& command, RunLock& lock) {
  lock.take(command.folder); // a running cluster there would lose its certificates
  const auto [before, workers, shards, train] = launched_by(command);
  LaunchPlan plan;
  plan.workers = workers;
  plan.shards = shards;
  plan.devices = devices_of(command, plan.workers);

  auto config = cluster_configuration(train, static_cast<WorkerId>(plan.workers));
  const auto fit = before
                     ? fit_in(folder_of_worker(command.folder, 0), *config.tree.find("problem"))
                     : fit_to_begin_with(config.tree);
  const auto problem = shown_problem_of(config, fit, !train.quiet && !train.no_progress);
  const auto longer = before ? "" : lengthen_for_small_table(config, *problem);
  const auto model = model_of(config, *problem);
  check_trainable(config, problem, *model, {0, static_cast<WorkerId>(plan.workers)},
                  counts_to_train_on(config, *problem));
  check_rounds(command, config, plan.workers);
  if (!before)
    check_loads(config, model->layout());
  const auto* plugins = config.tree.find("plugins");
  plan.has_plugins = plugins != nullptr && !plugins->items().empty();
  plan.remarks = config.remarks;
  if (!longer.empty())
    plan.remarks.push_back(longer);
  if (auto remark = unused_workers(config, static_cast<WorkerId>(plan.workers)); !remark.empty())
    plan.remarks.push_back(std::move(remark));
  if (before) // before its config.yaml is replaced
    plan.ended = ended_in(command.folder, plan.workers, config, fit, problem, model->layout());
  plan.end = moment_after(command.walltime);
  if (plan.end)
    plan.drain_at
      = drain_before(*plan.end, std::chrono::seconds{static_cast<long>(config.cluster.grace)});

  plan.unstarted
    = std::make_unique<UnstartedRun>(command.folder.empty() ? config.run.root : command.folder);
  plan.folder = command.folder.empty() ? make_process_folder(config, nullptr)
                                       : std::filesystem::path{command.folder};
  make_private_folder(plan.folder);
  lock.take(plan.folder); // another launcher may also have created a new folder
  if (!before) {
    check_free(plan.folder);
    plan.unstarted->made(plan.folder);
  }
  if (before) {
    plan.unstarted->begin();
    remove_old_files(plan.folder, plan.shards);
  }
  plan.job_name = command.job_name.empty() ? plan.folder.filename().string() : command.job_name;
  write_configuration(plan.folder, config::to_yaml(config.tree));
  claim(plan.folder, {{}, static_cast<WorkerId>(plan.workers), plan.shards});
  if (command.folder.empty())
    plan.root = config.run.root;
  return plan;
}

std::string name_of_holder(int shard) { return "holder-" + std::to_string(shard); }
std::string name_of_worker(int worker) { return "worker-" + std::to_string(worker); }

std::filesystem::path port_file(const LaunchPlan& plan, int shard) {
  return plan.folder / (name_of_holder(shard) + ".port");
}

std::vector<std::string> arguments_of_holder(const LaunchCommand& command, const LaunchPlan& plan,
                                             int shard, const std::string& port) {
  const auto name = name_of_holder(shard);
  std::vector<std::string> arguments{"node",        "--role",
                                     "ps",          "--keep-running",
                                     "--ps",        "127.0.0.1:" + port,
                                     "--port-file", port_file(plan, shard).string(),
                                     "--folder",    (plan.folder / name).string()};
  if (plan.has_plugins) // one may have the rule by which the workers push
    arguments.insert(arguments.end(), {"--workers", std::to_string(plan.workers), "--config",
                                       (plan.folder / "config.yaml").string()});
  return with_trust(std::move(arguments), command, plan, name);
}

std::vector<std::string> arguments_of_worker(const LaunchCommand& command, const LaunchPlan& plan,
                                             int worker, const std::string& holders) {
  const auto index = std::to_string(worker), workers = std::to_string(plan.workers);
  const auto folder = folder_of_worker(plan.folder, static_cast<WorkerId>(worker)).string();
  const auto config = (plan.folder / "config.yaml").string();
  std::vector<std::string> arguments{
    "node", "--role", "worker",   "--index", index,           "--workers", workers,
    "--ps", holders,  "--folder", folder,    "--no-progress", "--config",  config};
  if (command.train.verbose)
    arguments.emplace_back("--verbose");
  return with_trust(std::move(arguments), command, plan, name_of_worker(worker));
}

std::vector<std::string> arguments_of_evaluator(const LaunchCommand& command,
                                                const LaunchPlan& plan,
                                                const std::string& holders) {
  return with_trust({"node", "--role", "evaluator", "--workers", std::to_string(plan.workers),
                     "--ps", holders, "--folder", (plan.folder / name_of_evaluator).string(),
                     "--config", (plan.folder / "config.yaml").string()},
                    command, plan, name_of_evaluator);
}

std::map<std::string, std::string> variables_of(const LaunchCommand& command,
                                                const LaunchPlan& plan, int worker,
                                                const std::string& holders) {
  std::map<std::string, std::string> variables{
    {launched_run, plan.folder.string()},
    {launched_config, (plan.folder / "config.yaml").string()},
    {launched_job, plan.job_name},
    {launched_holders, holders},
    {launched_workers, std::to_string(plan.workers)},
    {launched_index, std::to_string(worker)},
    {launched_debug, command.train.verbose ? "1" : "0"},
  };
  if (!plan.devices.empty())
    variables[launched_device] = plan.devices.at(static_cast<std::size_t>(worker));
  if (plan.end) {
    using std::chrono::duration_cast, std::chrono::seconds;
    variables[launched_walltime] = clock_text(parse_duration(command.walltime));
    variables[launched_end]
      = std::to_string(duration_cast<seconds>(on_wall_clock(*plan.end).time_since_epoch()).count());
  }
  return variables;
}

} // namespace troupe
