#include "apps/run_config/unknown_option.hpp"

#include "apps/catalog/components.hpp"
#include "apps/config/tree.hpp"
#include "apps/run_config/read_run_config.hpp"
#include "base/text/nearest_name.hpp"
#include "base/text/text.hpp"

#include <CLI/CLI.hpp>

#include <algorithm>
#include <utility>

namespace troupe {

namespace {

struct RunKey {
  std::string path;
  bool takes_list = false;
};

/// The keys of runs: those of a run without configuration, and those of every other problem, model
/// and optimizer.
std::vector<RunKey> keys_of_runs() {
  std::vector<RunKey> keys;
  const auto add = [&](const std::string& section, const config::Node& tree) {
    for (const auto& leaf : config::leaves(tree)) {
      const auto path = section + config::to_string(leaf.path);
      const auto known = std::find_if(keys.begin(), keys.end(),
                                      [&](const RunKey& key) { return key.path == path; });
      if (known == keys.end())
        keys.push_back({path, leaf.value.is_list()});
      else // a scalar in one problem may be a list in another
        known->takes_list = known->takes_list && leaf.value.is_list();
    }
  };
  add("", read_run_config({}).tree);
  for (const auto& name : problem_names())
    add("problem.", problem_defaults(name, ""));
  for (const auto& name : model_names())
    add("model.", model_defaults(name, ""));
  for (const auto& name : optimizer_names())
    add("optimizer.", optimizer_defaults(name, ""));
  return keys;
}

std::string last_part(const std::string& key) { return key.substr(key.rfind('.') + 1); }

/// The key that equals `name`, or those whose last part does.
std::vector<RunKey> keys_called(const std::string& name, const std::vector<RunKey>& keys) {
  std::vector<RunKey> found;
  for (const auto& key : keys)
    if (key.path == name)
      return {key};
    else if (last_part(key.path) == name && !key.path.starts_with("extensions."))
      found.push_back(key);
  return found;
}

std::vector<std::string> options_of_command(const CLI::App& command) {
  std::vector<std::string> names;
  for (const auto* option : command.get_options()) {
    for (const auto& name : option->get_lnames())
      names.push_back("--" + name);
    for (const auto& name : option->get_snames())
      names.push_back("-" + name);
  }
  return names;
}

/// The subcommands that have an option, for a sentence.
std::vector<std::string> commands_with(const CLI::App& app, const std::string& option) {
  std::vector<std::string> commands;
  for (const auto* command : app.get_subcommands({})) {
    const auto names = options_of_command(*command);
    if (std::find(names.begin(), names.end(), option) != names.end())
      commands.push_back("`troupe " + command->get_name() + "`");
  }
  return commands;
}

/// The value given for an option: "3" of --epochs=3 and of --epochs 3; "..." if there is none.
std::string value_given(const std::string& option, const std::vector<std::string>& all) {
  if (const auto equals = option.find('='); equals != option.npos)
    return option.substr(equals + 1);
  const auto at = std::find(all.begin(), all.end(), option);
  if (at == all.end() || std::next(at) == all.end() || std::next(at)->starts_with('-'))
    return "...";
  return *std::next(at);
}

/// "batch_size" of "--batch-size".
std::string name_of_key(const std::string& option) {
  auto name = option.substr(std::min(option.find_first_not_of('-'), option.size()));
  std::replace(name.begin(), name.end(), '-', '_');
  return name;
}

/// Whether the command takes overrides of a configuration.
bool takes_overrides(const CLI::App& command) {
  return command.get_option_no_throw("arguments") != nullptr;
}

} // namespace

std::string unknown_option(const CLI::App& app, const CLI::App& command,
                           const std::vector<std::string>& rest,
                           const std::vector<std::string>& all) {
  const auto command_text = "troupe " + command.get_name();
  const auto help = "`" + command_text + " --help` lists all";
  const auto wrong = std::find_if(rest.begin(), rest.end(),
                                  [](const auto& argument) { return argument.starts_with('-'); });
  if (wrong == rest.end())
    return "'" + rest.front() + "' is an argument too many for `" + command_text + "`; " + help;
  const auto option = wrong->substr(0, wrong->find('='));
  const auto text = "`" + command_text + "` has no option " + option + "; ";
  if (option == "--until-told") // its name in earlier versions
    return text + "it is now called --keep-running; " + help;
  const auto value = value_given(*wrong, all);
  const auto name = name_of_key(option);
  const auto keys = takes_overrides(command) ? keys_of_runs() : std::vector<RunKey>{};
  const auto called = keys_called(name, keys);
  const auto fits = [&](const RunKey& key) { return value.starts_with('[') || !key.takes_list; };
  const auto any_fits = std::any_of(called.begin(), called.end(), fits);
  std::vector<std::string> found;
  for (const auto& key : called)
    if (fits(key) || !any_fits)
      found.push_back(key.path + "=" + value);
  if (!found.empty())
    return text + "a key of the configuration is set without dashes: " + joined(found);
  if (const auto near = nearest_name(option, options_of_command(command));
      near && option.starts_with("--"))
    return text + "did you mean " + *near + "? " + help;
  if (const auto others = commands_with(app, option); !others.empty())
    return text + joined(others) + (others.size() == 1 ? " has one; " : " have one; ") + help;
  std::vector<std::string> parts;
  for (const auto& key : keys)
    parts.push_back(last_part(key.path));
  if (const auto near = nearest_name(name, parts))
    if (const auto meant = keys_called(*near, keys); !meant.empty())
      return text + "did you mean the key " + meant.front().path + "=" + value + "? " + help;
  return text + help;
}

} // namespace troupe
