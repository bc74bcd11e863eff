// Runs a whole training session as `troupe train` does, with its default extensions, on a problem
// of the benchmark's.
#pragma once

#include "troupe/apps/run_session.hpp"
#include "troupe/apps/system_config.hpp"

#include <unistd.h>

#include <filesystem>

namespace troupe::bench {

/// A folder that is gone with the object.
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
                                   std::vector<std::string> overrides) {
  ScratchFolder folder;
  Interrupts interrupts;
  const auto config = read_run_config({{}, {}, std::move(overrides)});
  SessionOptions options;
  options.console = false;
  options.folder = folder.path();
  SystemConfig system_config{threads_for(config.training.workers)};
  caf::actor_system system{system_config};
  return run_session(system, config, options, std::move(problem), interrupts);
}

} // namespace troupe::bench
