#include "extensions/support/extension_kind.hpp"

namespace troupe {

template <>
Registry<ExtensionKind>& registry_of() {
  static Registry<ExtensionKind> kinds; // there before any file registers its own
  return kinds;
}

config::Node own_options(const ExtensionKind& kind, const config::Node& section) {
  const auto options = kind.defaults();
  auto own = config::Node::map(section.source());
  for (const auto& [key, value] : section.entries())
    if (options.find(key) != nullptr)
      own.put(key, value);
  return own;
}

RegisterExtension::RegisterExtension(ExtensionKind kind) {
  registry_of<ExtensionKind>().add(std::move(kind));
}

} // namespace troupe
