#pragma once

#include <filesystem>
#include <string>

namespace troupe {

/// True if a path within a folder stays there after ".." and links are resolved.
/// @param path relative to the folder; an absolute one leaves it
bool stays_inside(const std::filesystem::path& folder, const std::filesystem::path& path);

} // namespace troupe
