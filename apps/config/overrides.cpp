#include "apps/config/overrides.hpp"

#include "apps/config/yaml.hpp"
#include "base/config/unknown_key.hpp"
#include "base/text/nearest_name.hpp"
#include "base/text/text.hpp"

#include <unistd.h>

#include <algorithm>
#include <array>
#include <cctype>
#include <functional>

namespace troupe::config {

namespace {

// The sentence for the first missing key of `path`.
std::string unknown_in(const Node& tree, const Path& path, const std::string& source) {
  Path section;
  const Node* node = &tree;
  for (const auto& key : path) {
    const auto* next = node->find(key);
    if (next == nullptr) {
      if (!node->is_map() && !node->is_null())
        return to_string(path) + " (" + source + ") is unknown: " + to_string(section) + " is "
               + shown(*node) + " (" + node->source() + "), not a map";
      return unknown_key_of(*node, key, to_string(section), source, node->keys(),
                            nearest_leaf(tree, path.back()));
    }
    node = next;
    section.push_back(key);
  }
  return "";
}

// The path that a variable's name means; keys are in lower case from the first unknown one on.
Path path_of(const Node& tree, std::string_view name) {
  Path path;
  const Node* node = &tree;
  while (true) {
    const auto end = name.find("__");
    auto key = lower_case(name.substr(0, end));
    const auto keys = node == nullptr ? std::vector<std::string>{} : node->keys();
    const auto same = std::find_if(keys.begin(), keys.end(),
                                   [&](const auto& known) { return lower_case(known) == key; });
    path.push_back(same == keys.end() ? key : *same);
    node = node == nullptr ? nullptr : node->find(path.back());
    if (end == name.npos)
      return path;
    name.remove_prefix(end + 2);
  }
}

void merge_or_throw(Node& under, const Node& value, const Path& path) {
  auto merged = under;
  if (auto errors = merge(merged, value, path); !errors.empty())
    throw ConfigError(std::move(errors));
  under = std::move(merged);
}

bool is_below(const OpenSection& open, const Path& path) {
  return open && path.size() > open->size() && std::equal(open->begin(), open->end(), path.begin());
}

Sentences apply_each(const std::vector<std::string>& texts,
                     const std::function<void(const std::string&)>& each) {
  Sentences errors;
  for (const auto& text : texts) {
    try {
      each(text);
    } catch (const Failure& failure) {
      errors.insert(errors.end(), failure.sentences().begin(), failure.sentences().end());
    }
  }
  return errors;
}

} // namespace

Override parse_override(std::string_view argument) {
  using Kind = Override::Kind;
  Override result;
  result.source = "command line: " + std::string{argument};
  auto rest = argument;
  for (auto [prefix, kind] : {std::pair{"++", Kind::force}, {"+", Kind::add}, {"~", Kind::remove}})
    if (rest.starts_with(prefix)) {
      rest.remove_prefix(std::string_view{prefix}.size());
      result.kind = kind;
      break;
    }
  const auto equals = rest.find('=');
  if (equals == rest.npos && result.kind != Kind::remove)
    throw UsageError(shown(argument) + " sets nothing; write it like training.epochs=3");
  result.path = parse_path(rest.substr(0, equals));
  if (result.path.empty())
    throw UsageError(shown(argument) + " names no key; write it like training.epochs=3");
  if (equals != rest.npos)
    result.value = read_value(rest.substr(equals + 1), result.source);
  return result;
}

void apply(Node& tree, const Override& override) {
  using Kind = Override::Kind;
  auto* old = get(tree, override.path);
  const auto path = to_string(override.path);
  const auto from = " (" + override.source + ")";
  switch (override.kind) {
  case Kind::set:
    if (old == nullptr)
      throw ConfigError(unknown_in(tree, override.path, override.source));
    return merge_or_throw(*old, *override.value, override.path);
  case Kind::add:
    if (old != nullptr)
      throw ConfigError(path + from + " exists already, as " + shown(*old) + " (" + old->source()
                        + "); write " + path + "=... without the +");
    return set(tree, override.path, *override.value);
  case Kind::force:
    if (old != nullptr && old->is_map()
        && (override.value->is_map() || is_extension_switch(override.path, *override.value)))
      return merge_or_throw(*old, *override.value, override.path);
    return set(tree, override.path, *override.value);
  case Kind::remove:
    if (old == nullptr)
      throw ConfigError(unknown_in(tree, override.path, override.source));
    if (override.value && !(*old == *override.value))
      throw ConfigError(path + from + " is not deleted, because it is " + shown(*old) + " ("
                        + old->source() + ")");
    return remove(tree, override.path);
  }
}

bool is_override(const std::string& argument) {
  return argument.starts_with("+") || argument.starts_with("~")
         || argument.find('=') != std::string::npos;
}

Sentences apply_overrides(Node& tree, const std::vector<std::string>& overrides,
                          const OpenSection& open) {
  return apply_each(overrides, [&](const std::string& text) {
    auto override = parse_override(text);
    if (override.kind != Override::Kind::remove && is_below(open, override.path))
      override.kind = Override::Kind::force;
    apply(tree, override);
  });
}

std::vector<std::string> environment() {
  std::vector<std::string> result;
  for (char** variable = environ; variable != nullptr && *variable != nullptr; ++variable)
    if (std::string_view{*variable}.starts_with(environment_prefix))
      result.emplace_back(*variable);
  std::sort(result.begin(), result.end());
  return result;
}

std::vector<std::string> misnamed_variables() {
  constexpr std::string_view begin = "TROUPE_";
  // The launcher sets these for workers, and ./check the last for its build.
  constexpr std::array<std::string_view, 4> with_another_meaning{
    "TROUPE_DEVICE", "TROUPE_INDEX", "TROUPE_WALLTIME", "TROUPE_BATCHES"};
  std::vector<std::string> result;
  for (char** variable = environ; variable != nullptr && *variable != nullptr; ++variable) {
    const std::string_view text = *variable;
    const auto name = text.substr(0, text.find('='));
    if (name.starts_with(begin) && !name.starts_with(environment_prefix)
        && std::find(with_another_meaning.begin(), with_another_meaning.end(), name)
             == with_another_meaning.end())
      result.emplace_back(name);
  }
  std::sort(result.begin(), result.end());
  return result;
}

Sentences remarks_on_misnamed(const Node& tree, const std::vector<std::string>& variables) {
  Sentences remarks;
  const auto all = leaves(tree);
  for (const auto& variable : variables) {
    const auto name = lower_case(variable.substr(environment_prefix.size() - 1));
    const auto is_meant = [&name](const Leaf& leaf) {
      return leaf.path.back() == name || joined(leaf.path, "_") == name;
    };
    if (const auto leaf = std::find_if(all.begin(), all.end(), is_meant); leaf != all.end())
      remarks.push_back("warning: " + variable + " has no effect; to set " + to_string(leaf->path)
                        + ", name it " + std::string{environment_prefix}
                        + upper_case(joined(leaf->path, "__")));
  }
  return remarks;
}

Sentences apply_environment(Node& tree, const std::vector<std::string>& variables,
                            const OpenSection& open) {
  return apply_each(variables, [&](const std::string& variable) {
    const std::string_view text = variable;
    const auto equals = text.find('=');
    if (!text.starts_with(environment_prefix) || equals == text.npos)
      return;
    const auto name = text.substr(0, equals);
    Override override;
    override.source = "environment " + std::string{name};
    override.path = path_of(tree, name.substr(environment_prefix.size()));
    override.value = read_value(text.substr(equals + 1), override.source);
    if (is_below(open, override.path)) {
      override.kind = Override::Kind::force;
      return apply(tree, override);
    }
    auto* old = get(tree, override.path);
    if (old == nullptr)
      throw ConfigError(unknown_in(tree, override.path, override.source));
    merge_or_throw(*old, *override.value, override.path);
  });
}

} // namespace troupe::config
