#include "apps/config/config_sources.hpp"

#include "apps/config/overrides.hpp"
#include "apps/config/yaml.hpp"

#include <cstdlib>

namespace troupe {

namespace {

using Words = std::vector<std::string>;

/// Whether it names a file; what is wrong with it as one is told where it is read.
bool is_file(const std::filesystem::path& word) {
  std::error_code ignored;
  return word.has_parent_path() || word.extension() == ".yaml" || word.extension() == ".yml"
         || std::filesystem::exists(word, ignored);
}

/// For a shell, in quotes.
std::string in_shell_quotes(const std::string& text) {
  return text.find('\'') == text.npos ? "'" + text + "'" : "\"" + text + "\"";
}

/// The value that begins with `words[i]`, with the words that close its brackets.
std::string value_from(const Words& words, std::size_t i) {
  auto value = words[i];
  while (config::has_open_bracket(value) && ++i < words.size())
    value += " " + words[i];
  return value;
}

/// That a shell has not cut the change at `words[i]` at a blank inside of its brackets, as it does
/// with model.hidden=[64, 32]. @throws ConfigError
void check_whole(const Words& words, std::size_t i) {
  const auto whole = value_from(words, i);
  if (whole != words[i] && !config::has_open_bracket(whole))
    throw ConfigError("the shell has cut " + whole
                      + " at its blanks; put it into quotes: " + in_shell_quotes(whole));
}

/// A change to a value as it is typed.
std::string as_typed(const std::string& change) {
  return change.find(' ') == change.npos ? change : in_shell_quotes(change);
}

bool looks_like_key(const std::string& word) {
  return word.find_first_not_of("abcdefghijklmnopqrstuvwxyz0123456789_.") == word.npos;
}

/// What may have been meant by the word at `words[i]`, which is neither a file nor a change.
std::string meant_by(const Words& words, std::size_t i) {
  auto key = words[i];
  if (key.ends_with(':'))
    key.pop_back();
  const auto dotted = looks_like_key(key) && key.find('.') != key.npos;
  const auto equals = i + 2 < words.size() && words[i + 1] == "=";
  const auto next = i + (equals ? 2 : 1);
  if (dotted && next < words.size()
      && (equals || (!config::is_override(words[next]) && !is_file(words[next]))))
    return "a change is one argument: " + as_typed(key + "=" + value_from(words, next));
  if (i > 0 && config::is_override(words[i - 1]) && !dotted) {
    const auto& before = words[i - 1];
    return before.ends_with('=')
             ? "a change has no blank behind its =: " + as_typed(before + value_from(words, i))
             : "to change a value, say to what: " + key
                 + "=...; where it belongs to the value before it, put both into quotes: "
                 + in_shell_quotes(before + " " + words[i]);
  }
  return "to change a value, say to what: " + key + "=...";
}

} // namespace

void add_command_line(ConfigSources& sources, const std::vector<std::string>& words) {
  for (std::size_t i = 0; i < words.size(); ++i)
    if (config::is_override(words[i])) {
      check_whole(words, i);
      sources.overrides.push_back(words[i]);
    } else if (is_file(words[i])) {
      sources.files.emplace_back(words[i]);
    } else {
      throw ConfigError("there is no configuration file '" + words[i] + "'; " + meant_by(words, i));
    }
  sources.environment = config::environment();
}

void forget_environment() {
  for (const auto& variable : config::environment())
    unsetenv(variable.substr(0, variable.find('=')).c_str());
}

} // namespace troupe
