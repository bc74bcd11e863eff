#include "apps/commands/components.hpp"

#include "apps/catalog/component_list.hpp"
#include "apps/config/plugins.hpp"
#include "base/failure.hpp"
#include "base/text/nearest_name.hpp"
#include "base/text/text.hpp"

#include <CLI/CLI.hpp>

#include <filesystem>
#include <iostream>

namespace troupe {

namespace {

void load_named_plugins(const std::vector<std::string>& paths) {
  auto plugins = config::Node::list("--plugins");
  for (const auto& path : paths)
    plugins.append(config::Node::scalar(path, "--plugins", true));
  auto tree = config::Node::map();
  tree.put("plugins", plugins);
  settle_plugin_paths(tree, std::filesystem::current_path());
  load_plugins(tree);
}

/// The components of the command's kind and name.
std::vector<ListedComponent> chosen_components(const ComponentsCommand& command) {
  std::vector<ListedComponent> chosen;
  std::vector<std::string> names;
  for (auto& component : listed_components()) {
    if (!command.kind.empty() && component.kind != command.kind)
      continue;
    names.push_back(component.name);
    if (command.name.empty() || component.name == command.name)
      chosen.push_back(std::move(component));
  }
  if (chosen.empty())
    throw UsageError("there is no " + command.kind + " '" + command.name + "'"
                     + suggestion(command.name, names, "known: " + joined(names)));
  return chosen;
}

} // namespace

void add_components(CLI::App& app, ComponentsCommand& command) {
  auto* sub = app.add_subcommand(
    "components", "Print what a configuration can name, such as optimizers, and their options");
  sub->add_option("kind", command.kind, "of what kind; without it all")
    ->check(CLI::IsMember(listed_kinds()));
  sub->add_option("name", command.name, "of a component: its options with their defaults");
  sub->add_flag("--json", command.json, "print all that is known as a JSON array");
  sub->add_option("--plugins", command.plugins, "shared objects to load first, like ./libmine.so");
  sub->footer("\nExamples:\n  troupe components\n  troupe components optimizer adam\n"
              "  troupe components extension early_stopping\n"
              "  troupe components --json extension\n");
}

int components(const ComponentsCommand& command) {
  if (!command.plugins.empty())
    load_named_plugins(command.plugins);
  const auto chosen = chosen_components(command);
  if (command.json)
    std::cout << components_json(chosen) << std::endl;
  else if (command.name.empty())
    std::cout << kinds_text(chosen) << std::flush;
  else
    std::cout << component_text(chosen.front()) << std::flush;
  return static_cast<int>(ExitCode::done);
}

} // namespace troupe
