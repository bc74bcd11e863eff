// Where a configuration is put together from.
#pragma once

#include "base/config/node.hpp"
#include "messages/loop/loop.hpp"

#include <filesystem>
#include <string>
#include <vector>

namespace troupe {

/// Where the pieces of a configuration come from.
struct ConfigSources {
  std::vector<std::filesystem::path> files;
  config::Node settings = config::Node::map(); ///< over the files; of a grid
  std::vector<std::string> environment;        ///< "NAME=value"
  std::vector<std::string> overrides;          ///< "a.b=c", "+a.b=c", "~a.b"
  bool in_cluster = false; ///< this process is one of several that share parameters
  WorkerId workers = 0;    ///< in the cluster; 0: not known
};

/// Adds what a command line says, files and changes in any order, and this process's environment.
/// @throws ConfigError for a word that looks like a change without its value. Else files are not
/// looked at.
void add_command_line(ConfigSources& sources, const std::vector<std::string>& words);

/// Processes that are started from here on see the same configuration as this one has read.
void forget_environment();

} // namespace troupe
