// The plan of a launcher before it starts a process: which processes, where, until when.
#pragma once

#include "apps/folder/run_lock.hpp"
#include "apps/folder/unstarted_run.hpp"
#include "apps/process/interrupts.hpp"
#include "apps/session/train_command.hpp"

#include <filesystem>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <vector>

namespace troupe {

struct LaunchCommand {
  TrainCommand train;
  int workers = 0; ///< 0: 2, or those of the run in `folder`
  int at_most = 0; ///< workers that run at the same time; 0: all
  int shards = 0;  ///< parameter holders, each with a shard of the block; 0: 1, or as in `folder`
  std::string folder;     ///< where to train; continues a launched run there. "": a new folder
  std::string job_name;   ///< set in the workers' environment; "": the folder's name
  std::string walltime;   ///< H:MM:SS after which all processes are ended; "": no limit
  std::string devices;    ///< one for each worker, separated by commas; "": none
  bool evaluator = false; ///< one more process evaluates the shared parameters
  int restarts = 3;       ///< of crashed processes within a minute, before the run ends; 0: none
  bool insecure = false;  ///< plain TCP on loopback instead of mutual TLS
  double grace = 10;      ///< seconds between asking a process to end and killing it
};

struct LaunchPlan {
  int workers = 2, shards = 1;
  std::filesystem::path folder;
  std::string job_name;
  bool has_plugins = false;
  std::vector<std::string> devices;           ///< one for each worker, or none
  Sentences remarks;                          ///< to print
  std::optional<Interrupts::Moment> end;      ///< end of the walltime
  std::optional<Interrupts::Moment> drain_at; ///< from then on no worker is started
  std::map<int, std::string> ended; ///< workers whose run in the folder has ended, and the reason
  std::unique_ptr<UnstartedRun>
    unstarted;                ///< deletes the folder with the plan unless the run begins
  std::filesystem::path root; ///< folder whose `latest` will point to the run; "": none
};

/// Checks the command, and creates the run's folder or takes that of a resumed run. While `lock`
/// lives, no other launcher or training uses the folder.
/// @throws UsageError, ConfigError, DataError for invalid input, before any file is created;
/// IoError if another process uses the folder.
LaunchPlan plan_of(const LaunchCommand& command, RunLock& lock);

/// The configuration of each of the command's workers. Creates no files.
/// @throws UsageError, ConfigError as plan_of does
RunConfig configuration_of_workers(const LaunchCommand& command);

/// The number of workers that a command launches. @throws as configuration_of_workers
WorkerId workers_of(const LaunchCommand& command);

/// The name of a process of the cluster, of its folder and of its certificate.
std::string name_of_holder(int shard);
std::string name_of_worker(int worker);
inline constexpr const char* name_of_evaluator = "evaluator";

/// The file to which a holder writes its port once it listens.
std::filesystem::path port_file(const LaunchPlan& plan, int shard);

/// The command lines.
/// @param port 0: any free port
/// @param holders addresses, separated by commas
std::vector<std::string> arguments_of_holder(const LaunchCommand& command, const LaunchPlan& plan,
                                             int shard, const std::string& port);
std::vector<std::string> arguments_of_worker(const LaunchCommand& command, const LaunchPlan& plan,
                                             int worker, const std::string& holders);
std::vector<std::string> arguments_of_evaluator(const LaunchCommand& command,
                                                const LaunchPlan& plan, const std::string& holders);

/// The environment of a worker that is started now, besides the token. The end of the walltime is
/// in whole seconds, at or after the launcher's own: otherwise the worker would drain before the
/// launcher, which might start another worker meanwhile.
std::map<std::string, std::string> variables_of(const LaunchCommand& command,
                                                const LaunchPlan& plan, int worker,
                                                const std::string& holders);

} // namespace troupe
