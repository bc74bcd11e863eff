#include "troupe/apps/config_sources.hpp"

#include "troupe/apps/config/overrides.hpp"

#include <cstdlib>

namespace troupe {

void add_command_line(ConfigSources& sources, const std::vector<std::string>& words) {
  for (const auto& word : words)
    if (config::is_override(word))
      sources.overrides.push_back(word);
    else
      sources.files.emplace_back(word);
  sources.environment = config::environment();
}

void forget_environment() {
  for (const auto& variable : config::environment())
    unsetenv(variable.substr(0, variable.find('=')).c_str());
}

} // namespace troupe
