#pragma once

#include <filesystem>
#include <string>

namespace troupe {

/// Whether a path within a folder stays there, also where ".." or links lead.
/// @param path relative to the folder; an absolute one leaves it
bool stays_inside(const std::filesystem::path& folder, const std::filesystem::path& path);

} // namespace troupe
