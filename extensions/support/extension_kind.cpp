#include "extensions/support/extension_kind.hpp"

namespace troupe {

namespace {

Registry<ExtensionKind>& registered_extensions() {
  static Registry<ExtensionKind> kinds; // there before any file registers its own
  return kinds;
}

} // namespace

const Registry<ExtensionKind>& extension_kinds() { return registered_extensions(); }

RegisterExtension::RegisterExtension(ExtensionKind kind) {
  registered_extensions().add(std::move(kind));
}

} // namespace troupe
