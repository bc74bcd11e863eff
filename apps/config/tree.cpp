#include "apps/config/tree.hpp"

#include "base/config/unknown_key.hpp"
#include "base/text/nearest_name.hpp"
#include "base/text/text.hpp"

#include <algorithm>
#include <utility>

namespace troupe::config {

namespace {

bool is_one_word(const Node& node) {
  return node.is_scalar() && !node.text().empty()
         && node.text().find_first_of(" :=,") == std::string::npos;
}

// What the user may have meant by a map in place of a value, or by a value in place of a map.
std::string cure_of_clash(const Path& path, const Node& under, const Node& over) {
  if (over.is_map())
    return under.is_list() ? "; give a list, like [a, b]"
                           : "; put a text with a colon into quotes of its own, like '\"a: b\"'";
  const auto& key = path.back();
  if (key == "problem" && over.is_scalar() && over.text().find_first_of("./") != std::string::npos)
    return "; name the problem that reads this file, like problem.name=csv problem.path="
           + over.text();
  if (under.find("name") != nullptr && is_one_word(over))
    return "; write " + to_string(path) + ".name=" + over.text() + ", in a file " + key
           + ": {name: " + over.text() + "}";
  const auto& entries = under.entries();
  const auto first = std::find_if(entries.begin(), entries.end(),
                                  [](const auto& entry) { return entry.value.is_scalar(); });
  return "; give it keys and values, each key with a colon and a space after it, like "
         + (first == entries.end() ? "{key: value}"
                                   : "{" + first->key + ": " + first->value.text() + "}");
}

// Only a map against another kind is a clash: a list over a scalar is left to `decode`.
std::string clash(const Path& path, const Node& under, const Node& over) {
  return to_string(path) + " is " + shown(over) + " (" + over.source() + "), but " + shown(under)
         + " (" + under.source() + "); a map and a single value cannot be merged"
         + cure_of_clash(path, under, over);
}

void collect_leaves(const Node& node, Path& path, std::vector<Leaf>& result) {
  if (!node.is_map()) {
    result.push_back({path, node});
    return;
  }
  for (const auto& entry : node.entries()) {
    path.push_back(entry.key);
    collect_leaves(entry.value, path, result);
    path.pop_back();
  }
}

} // namespace

Path parse_path(std::string_view dotted) {
  if (dotted.empty())
    return {};
  Path path(1);
  for (std::size_t i = 0; i < dotted.size(); ++i) {
    const bool escaped = dotted[i] == '\\' && i + 1 < dotted.size()
                         && (dotted[i + 1] == '.' || dotted[i + 1] == '\\');
    if (escaped)
      path.back() += dotted[++i];
    else if (dotted[i] == '.')
      path.emplace_back();
    else
      path.back() += dotted[i];
    if (path.size() > depth_limit)
      throw UsageError("the key " + shown(dotted) + " is deeper than " + std::to_string(depth_limit)
                       + " levels");
  }
  if (std::any_of(path.begin(), path.end(), [](const auto& key) { return key.empty(); }))
    throw UsageError("the key " + shown(dotted)
                     + " has an empty part; write it like training.epochs");
  return path;
}

std::string to_string(const Path& path) {
  std::string text;
  for (const auto& key : path) {
    text += text.empty() ? "" : ".";
    for (char c : key)
      text += (c == '.' || c == '\\') ? std::string{'\\', c} : std::string{c};
  }
  return text;
}

const Node* get(const Node& tree, const Path& path) {
  const Node* node = &tree;
  for (const auto& key : path)
    if (node = node->find(key); node == nullptr)
      return nullptr;
  return node;
}

Node* get(Node& tree, const Path& path) {
  return const_cast<Node*>(get(std::as_const(tree), path));
}

std::string text_at(const Node& tree, const Path& path) {
  const auto* node = get(tree, path);
  return node != nullptr && node->is_scalar() ? node->text() : "";
}

bool is_extension_switch(const Path& path, const Node& value) {
  return path.size() == 2 && path.front() == "extensions" && switch_of(value).has_value();
}

void set(Node& tree, const Path& path, Node value) {
  // The path is checked before anything is created, so a failure changes nothing.
  const Node* at = &tree;
  for (std::size_t depth = 0; at != nullptr && depth < path.size(); ++depth) {
    const Path above{path.begin(), path.begin() + static_cast<long>(depth)};
    if ((at->is_scalar() || at->is_list()) && !is_extension_switch(above, *at))
      throw ConfigError(to_string(path) + " (" + value.source()
                        + ") cannot be set: " + to_string(above) + " is " + shown(*at) + " ("
                        + at->source() + "), not a map");
    at = at->find(path[depth]);
  }
  Node* node = &tree;
  for (const auto& key : path) {
    auto* next = node->find(key);
    node = next != nullptr ? next : &node->put(key, Node::map(value.source()));
  }
  *node = std::move(value);
}

std::string unknown_at(const Node& tree, const Path& path) {
  Path section;
  const Node* node = &tree;
  for (const auto& key : path) {
    const auto* next = node->find(key);
    if (next == nullptr)
      return unknown_key(key, to_string(section), node->source(), node->keys());
    node = next;
    section.push_back(key);
  }
  return "";
}

void remove(Node& tree, const Path& path) {
  if (path.empty())
    throw ConfigError("the whole configuration cannot be deleted; name a key");
  if (get(tree, path) == nullptr)
    throw ConfigError("there is no " + to_string(path) + " to delete: " + unknown_at(tree, path));
  get(tree, {path.begin(), path.end() - 1})->erase(path.back());
}

Sentences merge(Node& under, const Node& over, const Path& path) {
  if (under.is_map() && over.is_null())
    return {};
  if (under.is_map() && is_extension_switch(path, over)) {
    if (!*switch_of(over))
      under = over;
    return {};
  }
  if (over.is_map() && is_extension_switch(path, under)) {
    under = over;
    return {};
  }
  if (!over.is_map() || under.is_null()) {
    if (under.is_map())
      return {clash(path, under, over)};
    under = over;
    return {};
  }
  if (!under.is_map())
    return {clash(path, under, over)};
  Sentences errors;
  for (const auto& entry : over.entries()) {
    auto* old = under.find(entry.key);
    if (old == nullptr) {
      under.put(entry.key, entry.value);
      continue;
    }
    auto below = path;
    below.push_back(entry.key);
    auto more = merge(*old, entry.value, below);
    errors.insert(errors.end(), more.begin(), more.end());
  }
  return errors;
}

std::vector<Leaf> leaves(const Node& tree) {
  std::vector<Leaf> result;
  Path path;
  if (tree.is_map())
    collect_leaves(tree, path, result);
  return result;
}

std::string nearest_leaf(const Node& tree, std::string_view name) {
  std::vector<std::string> names, paths;
  for (const auto& leaf : leaves(tree)) {
    if (leaf.path.size() < 2)
      continue; // the unknown key itself
    names.push_back(leaf.path.back());
    paths.push_back(to_string(leaf.path));
  }
  const auto close = nearest_name(name, names);
  if (!close)
    return "";
  const auto found = std::find(names.begin(), names.end(), *close);
  return paths[static_cast<std::size_t>(found - names.begin())];
}

Path find_leaf(const Node& tree, std::string_view name) {
  std::vector<Path> found;
  std::vector<std::string> names;
  for (auto& leaf : leaves(tree)) {
    names.push_back(leaf.path.back());
    if (names.back() == name)
      found.push_back(std::move(leaf.path));
  }
  if (found.size() == 1)
    return found.front();
  if (found.empty()) {
    auto close = nearest_name(name, names);
    throw ConfigError("no value is called " + shown(name)
                      + (close ? "; did you mean " + shown(*close) + "?" : ""));
  }
  throw ConfigError(shown(name) + " is ambiguous: give one of "
                    + joined(found, ", ", [](const Path& path) { return to_string(path); }));
}

} // namespace troupe::config
