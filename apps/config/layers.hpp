// The order in which a configuration is put together: the later wins.
//
//   defaults  <  files, in the order given  <  settings  <  environment  <  command line
#pragma once

#include "apps/config/overrides.hpp"

#include <filesystem>
#include <string>
#include <vector>

namespace troupe::config {

struct Layers {
  Node defaults = Node::map();                   ///< every known key, e.g. `encode(Options{})`
  std::vector<std::filesystem::path> files = {}; ///< as `read_files` takes them
  Node settings = Node::map();                   ///< what a program has put together, like a grid
  std::vector<std::string> environment = {};     ///< "NAME=value", e.g. of `environment()`
  std::vector<std::string> overrides = {};       ///< words of the command line, "a.b=c"
  OpenSection open = {}; ///< whose keys nobody has to know for variables and words to set them
};

/// The effective tree, each value with its source. Keys of files that nobody knows are still in it:
/// `decode` reports them.
/// @throws ConfigError with the defects of all layers.
Node put_together(const Layers& layers);

} // namespace troupe::config
