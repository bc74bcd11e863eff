// Runs a whole training session like `troupe train`, with its default extensions, on a problem of
// the benchmark's.
#pragma once

#include "apps/cluster/joining.hpp"
#include "apps/process/system_config.hpp"
#include "apps/run_config/read_run_config.hpp"
#include "apps/session/session.hpp"
#include "apps/transport/node_system.hpp"

#include <unistd.h>

#include <filesystem>

namespace troupe::bench {

/// A folder that is removed with the object.
class ScratchFolder {
public:
  ScratchFolder()
    : path_(std::filesystem::temp_directory_path() / ("troupe-bench-" + std::to_string(getpid()))) {
    std::filesystem::create_directories(path_);
  }
  ~ScratchFolder() {
    std::error_code ignored;
    std::filesystem::remove_all(path_, ignored);
  }
  const std::filesystem::path& path() const { return path_; }

private:
  std::filesystem::path path_;
};

inline SessionResult train_session(std::shared_ptr<const Problem> problem,
                                   std::vector<std::string> overrides,
                                   const ClusterMember* member = nullptr) {
  ScratchFolder folder;
  Interrupts interrupts;
  ConfigSources sources;
  sources.overrides = std::move(overrides);
  sources.in_cluster = member != nullptr;
  const auto config = read_run_config(sources);
  SessionOptions options;
  options.console = false;
  options.folder = folder.path();
  const auto threads = threads_for(config.training.workers);
  const std::unique_ptr<SystemConfig> system_config
    = member != nullptr ? std::make_unique<NodeSystemConfig>(threads)
                        : std::make_unique<SystemConfig>(threads);
  caf::actor_system system{*system_config};
  if (member != nullptr)
    become_member(system, *member, {}, config.cluster, options, interrupts);
  return run_session(system, config, options, std::move(problem), interrupts);
}

} // namespace troupe::bench
