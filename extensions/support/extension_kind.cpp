#include "extensions/support/extension_kind.hpp"

namespace troupe {

namespace {

Registry<ExtensionKind>& registered_extensions() {
  static Registry<ExtensionKind> kinds; // there before any file registers its own
  return kinds;
}

} // namespace

const Registry<ExtensionKind>& extension_kinds() { return registered_extensions(); }

config::Node own_options(const ExtensionKind& kind, const config::Node& section) {
  const auto options = kind.defaults();
  auto own = config::Node::map(section.source());
  for (const auto& [key, value] : section.entries())
    if (options.find(key) != nullptr)
      own.put(key, value);
  return own;
}

RegisterExtension::RegisterExtension(ExtensionKind kind) {
  registered_extensions().add(std::move(kind));
}

} // namespace troupe
