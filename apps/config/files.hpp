// Configuration files that build on others by `default_configs: base.yaml, cluster.yaml`.
#pragma once

#include "base/config/node.hpp"
#include "base/failure.hpp"

#include <filesystem>
#include <string>
#include <vector>

namespace troupe::config {

/// Reads configuration files; each overrides those before it, and a file overrides its own
/// defaults.
///
/// `default_configs` is a top-level key that names files, as a list or as a text with commas,
/// relative to the file that names them; later ones override earlier ones. A default that several
/// files share is read once, below all of them; a cycle of files ends where it began. The key is
/// not in the result, so the result is self-contained.
///
/// @throws ConfigError with every defect of every file.
Node read_files(const std::vector<std::filesystem::path>& files);

/// The names of all files that are read for these, later ones overriding earlier ones, as in the
/// sources of nodes. @throws ConfigError as read_files does.
std::vector<std::string> order_of_files(const std::vector<std::filesystem::path>& files);

} // namespace troupe::config
