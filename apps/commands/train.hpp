// troupe train: trains one configuration in this process.
#pragma once

#include "apps/cluster/cluster_member.hpp"
#include "apps/config/run_config.hpp"

#include <string>
#include <vector>

namespace troupe {

struct TrainCommand {
  std::vector<std::string>
    words; ///< configuration files and overrides, as they stand on the command line
  std::vector<std::string> files; ///< --config
  std::string resume; ///< --resume: a run's folder, or "last"; over the configuration's `resume`
  std::string
    folder; ///< --folder: where to train; goes on with what was saved there. "": a new one
  bool folder_of_job = false; ///< `folder` is named by a batch job, not by a person
  std::string home; ///< --home: what results call `folder`, where it is to be moved; "": as it is
  bool print_config = false;
  bool sources = false; ///< with print_config
  std::string explain;  ///< a key: print where its value comes from and stop; "": train
  bool json = false;    ///< the result as one line of JSON
  bool no_progress = false;
  bool quiet = false;
  bool verbose = false;
  std::optional<Interrupts::Moment> drain_at{}; ///< of a process alone: when to end and save
};

/// The configuration that a command names, for one process.
/// @param seat in a cluster; null: this process trains alone
RunConfig read_configuration(const TrainCommand& command, const ClusterMember* seat);

/// The same for all processes of a cluster. @param workers in it; 0: not known
RunConfig cluster_configuration(const TrainCommand& command, WorkerId workers = 0);

/// Makes the folder for a process's files: the seat's, or a new run folder.
/// @param seat null: the process trains alone
std::filesystem::path make_process_folder(const RunConfig& config, const ClusterMember* seat);

/// @param seat in a cluster; null: this process trains alone
/// @returns the exit code of the program. @throws Failure for what cannot begin.
int train(const TrainCommand& command, const ClusterMember* seat = nullptr);

} // namespace troupe
