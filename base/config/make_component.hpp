// Finds the kind of component that a section names, and makes the component.
#pragma once

#include "base/config/component_kind.hpp"
#include "base/registry.hpp"
#include "base/text/nearest_name.hpp"
#include "base/text/text.hpp"

#include <new>
#include <stdexcept>
#include <string>
#include <utility>

namespace troupe {

/// @param section its path, for messages: "model". @param source where the name was set
/// @throws ConfigError for an unknown name, with the nearest known one
template <class Kind>
const Kind& find_component(const Registry<Kind>& kinds, const std::string& section,
                           const std::string& name, const std::string& source) {
  if (const auto* kind = kinds.find(name))
    return *kind;
  const auto names = kinds.names();
  throw ConfigError(section + ".name is '" + name + "' (" + source + "), which is unknown"
                    + suggestion(name, names, "known: " + joined(names)));
}

/// The kind that a section names. @throws ConfigError
template <class Kind>
const Kind& kind_named_by(const Registry<Kind>& kinds, const std::string& section,
                          const config::Node& node) {
  const auto* name = node.find("name");
  if (name == nullptr || !name->is_scalar())
    throw ConfigError(section + " needs a name, like {name: " + kinds.names().front() + "}");
  return find_component(kinds, section, name->text(), name->source());
}

/// Makes the component that a section names. @throws ConfigError that names the section, also for
/// what the component's constructor refuses
template <class Kind, class... Context>
auto make_component(const Registry<Kind>& kinds, const std::string& section,
                    const config::Node& node, Context&&... context) {
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
