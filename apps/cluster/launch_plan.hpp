// What a launcher knows before it starts anybody: which processes, where, until when.
#pragma once

#include "apps/commands/launch.hpp"
#include "apps/folder/run_lock.hpp"
#include "apps/folder/unstarted_run.hpp"
#include "apps/process/interrupts.hpp"

#include <filesystem>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <vector>

namespace troupe {

struct LaunchPlan {
  int workers = 2, shards = 1;
  std::filesystem::path folder;
  std::string job_name;
  std::vector<std::string> devices;           ///< one for each worker, or none
  Sentences remarks;                          ///< for people
  std::optional<Interrupts::Moment> end;      ///< of the walltime
  std::optional<Interrupts::Moment> drain_at; ///< from then on nobody begins
  std::map<int, std::string> ended;           ///< workers whose run in the folder is over, and why
  std::unique_ptr<UnstartedRun> unstarted;    ///< the folder goes with the plan unless this begins
  std::filesystem::path root;                 ///< whose `latest` means the run; "": none
};

/// Checks the command, and makes the run's folder or takes the one of a run that goes on. While
/// `lock` lives no other launcher or training is at work there.
/// @throws UsageError, ConfigError, DataError for what cannot be, before anything is made; IoError
/// where another process is at work in the folder.
LaunchPlan plan_of(const LaunchCommand& command, RunLock& lock);

/// What each of the command's workers trains. Makes nothing.
/// @throws UsageError, ConfigError as plan_of does
RunConfig configuration_of_workers(const LaunchCommand& command);

/// How many workers a command launches. @throws as configuration_of_workers
WorkerId workers_of(const LaunchCommand& command);

/// What a process of the cluster is called, and its folder and its certificate, too.
std::string name_of_holder(int shard);
std::string name_of_worker(int worker);
inline constexpr const char* name_of_evaluator = "evaluator";

/// Where a holder writes its port once it listens.
std::filesystem::path port_file(const LaunchPlan& plan, int shard);

/// The command lines.
/// @param port 0: any free one
/// @param holders addresses, separated by commas
std::vector<std::string> arguments_of_holder(const LaunchCommand& command, const LaunchPlan& plan,
                                             int shard, const std::string& port);
std::vector<std::string> arguments_of_worker(const LaunchCommand& command, const LaunchPlan& plan,
                                             int worker, const std::string& holders);
std::vector<std::string> arguments_of_evaluator(const LaunchCommand& command,
                                                const LaunchPlan& plan, const std::string& holders);

/// What a worker that is started now finds in its environment, beside the token: names and their
/// values. It reads the end of the walltime in whole seconds, at or after the launcher's own: else
/// it would drain before the launcher does, which might begin another one meanwhile.
std::map<std::string, std::string> variables_of(const LaunchCommand& command,
                                                const LaunchPlan& plan, int worker,
                                                const std::string& holders);

} // namespace troupe
