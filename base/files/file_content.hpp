#pragma once

#include <filesystem>
#include <optional>
#include <string>

namespace troupe {

/// All bytes of a file; nothing if it cannot be opened.
std::optional<std::string> file_content(const std::filesystem::path& path);

} // namespace troupe
