// The order in which the sources of a configuration are merged: later ones win.
//
//   defaults  <  files, in the order given  <  settings  <  environment  <  command line
#pragma once

#include "apps/config/overrides.hpp"

#include <filesystem>
#include <string>
#include <vector>

namespace troupe::config {

struct SourceLayers {
  Node defaults = Node::map();                   ///< every known key, e.g. `encode(Options{})`
  std::vector<std::filesystem::path> files = {}; ///< as for `read_files`
  Node settings = Node::map();                   ///< made by a program, like a grid
  std::vector<std::string> environment = {};     ///< "NAME=value", e.g. of `environment()`
  std::vector<std::string> overrides = {};       ///< command-line arguments like "a.b=c"
  OpenSection open = {}; ///< its keys need not be known to be set by variables and overrides
};

/// The effective tree, each value with its source. Unknown keys of files are still in it: `decode`
/// reports them.
/// @throws ConfigError with the defects of all layers.
Node merge_layers(const SourceLayers& layers);

} // namespace troupe::config
