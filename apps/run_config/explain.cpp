#include "apps/run_config/explain.hpp"

#include "apps/config/print.hpp"
#include "apps/config/tree.hpp"
#include "apps/run_config/read_run_config.hpp"
#include "messages/requests/error.hpp"

#include <algorithm>
#include <optional>

namespace troupe {

namespace {

using config::Leaf;
using config::Node;

/// The sources without the one of highest precedence; nothing if only defaults are left.
std::optional<ConfigSources> without_strongest(ConfigSources sources) {
  if (!sources.overrides.empty())
    sources.overrides.clear();
  else if (!sources.environment.empty())
    sources.environment.clear();
  else if (!sources.files.empty())
    sources.files.pop_back();
  else
    return {};
  return sources;
}

std::vector<Node> trees_of(const ConfigSources& sources) {
  std::vector<Node> trees{read_run_config(sources).tree};
  try {
    for (auto rest = without_strongest(sources); rest; rest = without_strongest(*rest))
      trees.push_back(read_run_config(*rest).tree);
  } catch (const ConfigError&) {
    // The sources below are no valid configuration by themselves; explain those above.
  }
  return trees;
}

config::Path path_meant(const Node& tree, const std::string& key) {
  const auto path = config::parse_path(key);
  if (config::get(tree, path) != nullptr || path.size() != 1)
    return path;
  return config::find_leaf(tree, key);
}

std::string lines_about(const std::vector<Node>& trees, const config::Path& path) {
  constexpr std::size_t width = 40;
  std::string text, former;
  auto head = config::to_string(path) + ": ";
  for (const auto& tree : trees) {
    const auto* node = config::get(tree, path);
    if (node == nullptr || node->source() == former)
      continue;
    former = node->source();
    auto line = head + config::on_one_line(*node);
    line.resize(std::max(line.size() + 2, width), ' ');
    text += line + former + "\n";
    head = "  ";
  }
  return text;
}

} // namespace

std::string explain(const ConfigSources& sources, const std::string& key) {
  const auto trees = trees_of(sources);
  const auto path = path_meant(trees.front(), key);
  const auto* node = config::get(trees.front(), path);
  if (node == nullptr)
    throw ConfigError("there is nothing to explain: " + config::unknown_at(trees.front(), path));
  if (!node->is_map() || node->entries().empty())
    return lines_about(trees, path);
  std::string text;
  for (const auto& leaf : config::leaves(*node)) {
    auto below = path;
    below.insert(below.end(), leaf.path.begin(), leaf.path.end());
    text += lines_about(trees, below);
  }
  return text;
}

} // namespace troupe
