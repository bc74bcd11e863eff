// troupe components: prints what a configuration can name, and its options.
#pragma once

#include <string>
#include <vector>

namespace CLI { // NOLINT(readability-identifier-naming): the library's
class App;
}

namespace troupe {

struct ComponentsCommand {
  std::string kind;                 ///< one of listed_kinds(); "": all
  std::string name;                 ///< of a component of that kind; "": all
  std::vector<std::string> plugins; ///< paths of shared objects that are loaded first
  bool json = false;
};

void add_components(CLI::App& app, ComponentsCommand& command);

/// @returns the exit code of the program. @throws UsageError for an unknown name, ConfigError for a
/// plugin that cannot be loaded.
int components(const ComponentsCommand& command);

} // namespace troupe
