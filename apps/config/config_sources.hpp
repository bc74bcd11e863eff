// The sources of a configuration.
#pragma once

#include "base/config/node.hpp"
#include "messages/loop/loop.hpp"

#include <filesystem>
#include <string>
#include <vector>

namespace troupe {

/// Where the values of a configuration come from.
struct ConfigSources {
  std::vector<std::filesystem::path> files;
  config::Node settings = config::Node::map(); ///< applied over the files; from a grid
  std::vector<std::string> environment;        ///< "NAME=value"
  std::vector<std::string> misnamed_variables; ///< names (overrides.hpp)
  std::vector<std::string> overrides;          ///< "a.b=c", "+a.b=c", "~a.b"
  bool in_cluster = false; ///< this process is one of several that share parameters
  WorkerId workers = 0;    ///< in the cluster; 0: unknown
};

/// Adds the files and overrides of a command line, in any order, and this process's environment.
/// @throws ConfigError for an argument that looks like an override without its value. Files are not
/// opened here.
void add_command_line(ConfigSources& sources, const std::vector<std::string>& arguments);

/// Removes the variables that this process has read, so that child processes do not apply them
/// again.
void forget_environment();

} // namespace troupe
