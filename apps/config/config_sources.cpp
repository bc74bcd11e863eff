#include "apps/config/config_sources.hpp"

#include "apps/config/overrides.hpp"
#include "apps/config/yaml.hpp"
#include "base/text/text.hpp"

#include <cstdlib>

namespace troupe {

namespace {

using Arguments = std::vector<std::string>;

/// Whether it names a file; a problem with the file is reported when it is read.
bool is_file(const std::filesystem::path& argument) {
  std::error_code ignored;
  return argument.has_parent_path() || argument.extension() == ".yaml"
         || argument.extension() == ".yml" || std::filesystem::exists(argument, ignored);
}

/// The value that starts with `arguments[i]`, with the arguments up to the one that closes its
/// brackets.
std::string value_from(const Arguments& arguments, std::size_t i) {
  auto value = arguments[i];
  while (config::has_open_bracket(value) && ++i < arguments.size())
    value += " " + arguments[i];
  return value;
}

/// Checks that a shell has not split the override at `arguments[i]` at a space inside its brackets,
/// as it does with model.hidden=[64, 32]. @throws ConfigError
void check_whole(const Arguments& arguments, std::size_t i) {
  const auto whole = value_from(arguments, i);
  if (whole != arguments[i] && !config::has_open_bracket(whole))
    throw ConfigError("the shell has split " + whole
                      + " at its spaces; put it into quotes: " + in_shell_quotes(whole));
}

/// An override as typed in a shell.
std::string as_typed(const std::string& change) {
  return change.find(' ') == change.npos ? change : in_shell_quotes(change);
}

bool looks_like_key(const std::string& argument) {
  return argument.find_first_not_of("abcdefghijklmnopqrstuvwxyz0123456789_.") == argument.npos;
}

/// What the user may have meant by `arguments[i]`, which is neither a file nor an override.
std::string suggestion_for(const Arguments& arguments, std::size_t i) {
  auto key = arguments[i];
  if (key.ends_with(':'))
    key.pop_back();
  const auto dotted = looks_like_key(key) && key.find('.') != key.npos;
  const auto equals = i + 2 < arguments.size() && arguments[i + 1] == "=";
  const auto next = i + (equals ? 2 : 1);
  if (dotted && next < arguments.size()
      && (equals || (!config::is_override(arguments[next]) && !is_file(arguments[next]))))
    return "a change is one argument: " + as_typed(key + "=" + value_from(arguments, next));
  if (i > 0 && config::is_override(arguments[i - 1]) && !dotted) {
    const auto& before = arguments[i - 1];
    return before.ends_with('=')
             ? "a change has no space after its =: " + as_typed(before + value_from(arguments, i))
             : "to change a value, say to what: " + key
                 + "=...; where it belongs to the value before it, put both into quotes: "
                 + in_shell_quotes(before + " " + arguments[i]);
  }
  return "to change a value, say to what: " + key + "=...";
}

} // namespace

void add_command_line(ConfigSources& sources, const std::vector<std::string>& arguments) {
  for (std::size_t i = 0; i < arguments.size(); ++i)
    if (config::is_override(arguments[i])) {
      check_whole(arguments, i);
      sources.overrides.push_back(arguments[i]);
    } else if (is_file(arguments[i])) {
      sources.files.emplace_back(arguments[i]);
    } else {
      throw ConfigError("there is no configuration file '" + arguments[i] + "'; "
                        + suggestion_for(arguments, i));
    }
  sources.environment = config::environment();
  sources.misnamed_variables = config::misnamed_variables();
}

void forget_environment() {
  for (const auto& variable : config::environment())
    unsetenv(variable.substr(0, variable.find('=')).c_str());
}

} // namespace troupe
