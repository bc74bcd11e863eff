// Tables of components of one sort (problems, models, optimizers): the names that a section of the
// configuration can have, their options, and how components are made from them.
#pragma once

#include "base/config/decode.hpp"
#include "base/text/nearest_name.hpp"
#include "base/text/text.hpp"

#include <functional>
#include <new>
#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

namespace troupe {

/// One kind of component: its name, its options, and how it is made from them.
template <class Product, class... Context>
struct ComponentKind {
  std::string name;
  std::function<config::Node()> defaults;
  std::function<Product(const config::Node& section, const std::string& path, Context... context)>
    make;
  bool makes_examples = false; ///< for a problem: it needs no files
};

/// Options of a section, without its name. @throws ConfigError
template <class Options>
Options options_of(const config::Node& section, const std::string& path, Options options = {}) {
  auto without_name = section;
  without_name.erase("name");
  if (auto errors = config::decode(without_name, options, path); !errors.empty())
    throw ConfigError(errors);
  return options;
}

template <class Kinds>
std::vector<std::string> names_of(const Kinds& kinds) {
  std::vector<std::string> names;
  for (const auto& kind : kinds)
    names.push_back(kind.name);
  return names;
}

template <class Kinds>
const auto& find_component(const Kinds& kinds, const std::string& section, const std::string& name,
                           const std::string& source) {
  for (const auto& kind : kinds)
    if (kind.name == name)
      return kind;
  const auto names = names_of(kinds);
  const auto near = nearest_name(name, names);
  throw ConfigError(section + ".name is '" + name + "' (" + source + "), which is unknown; "
                    + (near ? "did you mean '" + *near + "'? " : "") + "known: " + joined(names));
}

template <class Kinds>
config::Node defaults_of(const Kinds& kinds, const std::string& section, const std::string& name,
                         const std::string& source) {
  const auto options = find_component(kinds, section, name, source).defaults();
  auto node = config::Node::map();
  node.put("name", config::Node::scalar(name, config::default_source, true));
  for (const auto& entry : options.entries())
    node.put(entry.key, entry.value);
  return node;
}

/// The kind that a section names. @throws ConfigError
template <class Kinds>
const auto& kind_named_by(const Kinds& kinds, const std::string& section,
                          const config::Node& node) {
  const auto* name = node.find("name");
  if (name == nullptr || !name->is_scalar())
    throw ConfigError(section + " needs a name, like {name: " + kinds.front().name + "}");
  return find_component(kinds, section, name->text(), name->source());
}

/// Makes the component that a section names; an exception of its constructor becomes a ConfigError
/// that names the section.
template <class Kinds, class... Context>
auto make_from(const Kinds& kinds, const std::string& section, const config::Node& node,
               Context&&... context) {
  constexpr auto beyond_memory = "it needs more memory than there is; give smaller sizes";
  const auto& kind = kind_named_by(kinds, section, node);
  try {
    return kind.make(node, section, std::forward<Context>(context)...);
  } catch (const std::invalid_argument& e) {
    throw ConfigError(section + " '" + kind.name + "': " + e.what());
  } catch (const std::length_error&) {
    throw ConfigError(section + " '" + kind.name + "': " + beyond_memory);
  } catch (const std::bad_alloc&) {
    throw ConfigError(section + " '" + kind.name + "': " + beyond_memory);
  }
}

} // namespace troupe
