#include "apps/run_config/multi_tests.hpp"

#include "apps/config/print.hpp"
#include "apps/config/tree.hpp"
#include "base/text/nearest_name.hpp"
#include "base/text/text.hpp"

#include <algorithm>

namespace troupe {

namespace {

using config::Node;

constexpr const char* multi_tests_key = "multi_tests";
constexpr std::size_t most_tests = 1000; // each is a whole configuration in memory

/// A setting that differs from test to test.
struct VariedSetting {
  config::Path path;
  std::vector<Node> values; ///< one per test
};

/// The settings that a test may change; those of the model's training cannot be.
Node settings_of_testing(const Node& tree) {
  auto settings = Node::map();
  for (const auto* section : {"problem", "testing"})
    if (const auto* found = tree.find(section))
      settings.put(section, *found);
  if (auto* testing = settings.find("testing"))
    testing->erase(multi_tests_key);
  return settings;
}

/// @param key the name of a leaf, or its path
config::Path path_of_setting(const Node& settings, const std::string& key) {
  const auto path = config::parse_path(key);
  if (path.size() < 2)
    return config::find_leaf(settings, key);
  std::vector<std::string> known;
  for (const auto& leaf : config::leaves(settings))
    known.push_back(config::to_string(leaf.path));
  if (std::find(known.begin(), known.end(), key) != known.end())
    return path;
  throw ConfigError("problem and testing have no such setting" + suggestion(key, known));
}

std::vector<VariedSetting> varied_settings(const Node& tree) {
  std::vector<VariedSetting> varied;
  const auto* lists = config::get(tree, {"testing", multi_tests_key});
  if (lists == nullptr)
    return varied;
  const auto settings = settings_of_testing(tree);
  Sentences errors;
  for (const auto& [key, list] : lists->entries()) {
    if (!list.is_list())
      continue; // decode reports it
    const auto place = "testing.multi_tests." + key + " (" + list.source() + "): ";
    try {
      auto path = path_of_setting(settings, key);
      const auto duplicate = std::any_of(varied.begin(), varied.end(),
                                         [&](const auto& other) { return other.path == path; });
      if (duplicate)
        errors.push_back(
          place + "it is another name of a setting that is varied already; leave one of them out");
      else if (list.items().empty())
        errors.push_back(place + "it has no values; give a list with one for each test");
      else if (list.items().size() > most_tests)
        errors.push_back(place + "it has " + std::to_string(list.items().size())
                         + " values, one for each test; give at most " + std::to_string(most_tests)
                         + ", and the others to another `troupe test`");
      else if (!varied.empty() && varied.front().values.size() != list.items().size())
        errors.push_back(place + "it has " + quantity(list.items().size(), "value") + ", but "
                         + config::to_string(varied.front().path) + " has "
                         + std::to_string(varied.front().values.size())
                         + "; the values at one place of all lists are one test, so give each "
                           "list as many");
      else
        varied.push_back({std::move(path), list.items()});
    } catch (const Failure& e) {
      errors.push_back(place + e.what());
    }
  }
  if (!errors.empty())
    throw ConfigError(errors);
  return varied;
}

} // namespace

std::vector<Node> trees_of_tests(const Node& tree) {
  const auto varied = varied_settings(tree);
  auto plain = tree;
  if (auto* testing = plain.find("testing"))
    testing->put(multi_tests_key, Node::map());
  std::vector<Node> trees(varied.empty() ? 1 : varied.front().values.size(), plain);
  for (const auto& [path, values] : varied)
    for (std::size_t i = 0; i < trees.size(); ++i)
      config::set(trees[i], path, values[i]);
  return trees;
}

std::vector<std::vector<std::pair<std::string, std::string>>> settings_of_tests(const Node& tree) {
  const auto varied = varied_settings(tree);
  std::vector<std::vector<std::pair<std::string, std::string>>> tests(
    varied.empty() ? 1 : varied.front().values.size());
  for (const auto& [path, values] : varied)
    for (std::size_t i = 0; i < tests.size(); ++i)
      tests[i].emplace_back(config::to_string(path), setting_text(values[i]));
  return tests;
}

void check_tests(const Node& tree, Sentences& errors) {
  try {
    varied_settings(tree);
  } catch (const ConfigError& e) {
    errors.insert(errors.end(), e.sentences().begin(), e.sentences().end());
  }
}

} // namespace troupe
