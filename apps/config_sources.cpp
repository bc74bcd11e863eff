#include "troupe/apps/config_sources.hpp"

#include "troupe/apps/config/overrides.hpp"

#include <cstdlib>

namespace troupe {

namespace {

/// That the word is no change to a value whose `=` is missing. @throws ConfigError
void check_is_file(const std::filesystem::path& word) {
  std::error_code ignored;
  if (word.has_parent_path() || word.extension() == ".yaml" || word.extension() == ".yml"
      || std::filesystem::exists(word, ignored))
    return; // what is wrong with it as a file is told where it is read
  throw ConfigError("there is no configuration file '" + word.string()
                    + "'; to change a value, say to what: " + word.string() + "=...");
}

} // namespace

void add_command_line(ConfigSources& sources, const std::vector<std::string>& words) {
  for (const auto& word : words)
    if (config::is_override(word))
      sources.overrides.push_back(word);
    else {
      check_is_file(word);
      sources.files.emplace_back(word);
    }
  sources.environment = config::environment();
}

void forget_environment() {
  for (const auto& variable : config::environment())
    unsetenv(variable.substr(0, variable.find('=')).c_str());
}

} // namespace troupe
