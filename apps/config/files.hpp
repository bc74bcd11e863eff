// Configuration files that build on one another by `default_configs: base.yaml, cluster.yaml`.
#pragma once

#include "base/config/node.hpp"
#include "base/exit_codes.hpp"

#include <filesystem>
#include <string>
#include <vector>

namespace troupe::config {

/// Reads configuration files, each over those before it, and a file over its own defaults.
///
/// `default_configs` stands at the top level and names files, as a list or as a text with commas;
/// they are relative to the file that names them, and the later win among them. A default that
/// several files share is read once, below all of them; a circle of files ends where it began. The
/// key is not in the result, which therefore stands for itself.
///
/// @throws ConfigError with every defect of every file. Creates nothing, neither then nor else.
Node read_files(const std::vector<std::filesystem::path>& files);

/// The names of all files that are read for these, the later laid over the earlier, as they are
/// called in the sources of nodes. @throws ConfigError as read_files does.
std::vector<std::string> order_of_files(const std::vector<std::filesystem::path>& files);

} // namespace troupe::config
