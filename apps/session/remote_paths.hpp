// Paths among the options of extensions that remote control attaches: whoever steers a run may
// write and read in its folder only.
#pragma once

#include "apps/catalog/extension_catalog.hpp"

#include <string_view>

namespace troupe {

/// Whether an option of this name is a path, in a section of any extension.
bool names_a_path(std::string_view option);

/// @param folder of the run
/// @throws ConfigError for an option that leads out of it.
void check_remote_paths(const ConfiguredExtension& extension, const std::filesystem::path& folder);

} // namespace troupe
