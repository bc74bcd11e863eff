// What the command line of a process that trains asks for, and the configuration that it names.
#pragma once

#include "apps/config/config_sources.hpp"
#include "apps/run_config/run_config.hpp"
#include "apps/session/cluster_member.hpp"

#include <filesystem>
#include <optional>
#include <string>
#include <vector>

namespace troupe {

struct TrainCommand {
  std::vector<std::string>
    arguments; ///< configuration files and overrides, as given on the command line
  std::vector<std::string> files; ///< --config
  std::string resume; ///< --resume: a run's folder, or "latest"; takes precedence over the
                      ///< configuration's `resume`
  std::string
    folder; ///< --folder: where to train; continues from what was saved there. "": a new folder
  bool folder_of_job = false; ///< a batch job gave `folder`, not the command line
  std::string
    home; ///< --home: the path that results give for `folder`, if it is moved later; "": `folder`
  bool print_config = false;
  bool sources = false; ///< with print_config
  std::string explain;  ///< a key: print where its value comes from and exit; "": train
  bool json = false;    ///< the result as one line of JSON
  bool no_progress = false;
  bool quiet = false;
  bool verbose = false;
  std::optional<Interrupts::Moment> drain_at{}; ///< without a cluster: when to save and end
};

/// The sources of the configuration that a command names.
/// @param member of a cluster; null: this process trains alone
/// @param resumed folder of the run that it continues; "": none
ConfigSources sources_of(const TrainCommand& command, const ClusterMember* member,
                         const std::filesystem::path& resumed = {});

/// Reads a command's configuration, for one process. Parameters as of sources_of.
RunConfig read_configuration(const TrainCommand& command, const ClusterMember* member,
                             const std::filesystem::path& resumed = {});

/// The same for all processes of a cluster. @param workers in the cluster; 0: unknown
RunConfig cluster_configuration(const TrainCommand& command, WorkerId workers = 0);

/// Creates the folder for a process's files: the member's, or a new run folder.
/// @param member null: the process trains alone
std::filesystem::path make_process_folder(const RunConfig& config, const ClusterMember* member);

} // namespace troupe
