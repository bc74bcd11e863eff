// Paths in the options of extensions that remote control attaches: they may only lead into the
// run's folder.
#pragma once

#include "apps/catalog/extension_catalog.hpp"

#include <string_view>

namespace troupe {

/// Whether an option of this name is a path, in any extension's section.
bool names_a_path(std::string_view option);

/// @param folder of the run
/// @throws ConfigError for a path outside the folder.
void check_remote_paths(const ConfiguredExtension& extension, const std::filesystem::path& folder);

} // namespace troupe
