#include "apps/session/train_command.hpp"

#include "apps/folder/run_folder.hpp"
#include "apps/run_config/read_run_config.hpp"
#include "base/files/private_files.hpp"

namespace troupe {

namespace {

/// A configuration for processes of a cluster. @throws ConfigError if it says to resume: all
/// processes would continue from one process's state.
RunConfig for_cluster(RunConfig config) {
  if (!config.resume.empty())
    throw ConfigError("resume is '" + config.resume
                      + "', but a process of a cluster resumes by itself when its job is requeued; "
                        "remove `resume` from the configuration");
  if (config.trainer)
    throw ConfigError("trainer is '" + to_string(config.trainer->kind)
                      + "', which trains in a single process; use `troupe train`, or remove "
                        "`trainer` from the configuration");
  return config;
}

} // namespace

ConfigSources sources_of(const TrainCommand& command, const ClusterMember* member,
                         const std::filesystem::path& resumed) {
  ConfigSources sources;
  if (!resumed.empty())
    sources.files.push_back(resumed / "config.yaml");
  for (const auto& file : command.files)
    sources.files.emplace_back(file);
  add_command_line(sources, command.arguments);
  if (member != nullptr) { // a node is one worker, even if the configuration asks for several in
                           // one process
    sources.overrides.emplace_back("training.workers=1");
    sources.in_cluster = true;
    sources.workers = member->workers;
  }
  return sources;
}

RunConfig read_configuration(const TrainCommand& command, const ClusterMember* member,
                             const std::filesystem::path& resumed) {
  auto config = read_run_config(sources_of(command, member, resumed));
  return member != nullptr ? for_cluster(std::move(config)) : config;
}

RunConfig cluster_configuration(const TrainCommand& command, WorkerId workers) {
  auto sources = sources_of(command, nullptr);
  sources.in_cluster = true;
  sources.workers = workers;
  return for_cluster(read_run_config(sources));
}

std::filesystem::path make_process_folder(const RunConfig& config, const ClusterMember* member) {
  if (member != nullptr && !member->folder.empty()) {
    make_private_folder(member->folder);
    return member->folder;
  }
  RunFolderOptions options;
  options.root = config.run.root;
  options.problem = config.tree.find("problem")->find("name")->text();
  options.model = config.tree.find("model")->find("name")->text();
  options.tag = config.run.tag;
  return create_run_folder(options);
}

} // namespace troupe
