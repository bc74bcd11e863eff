#include "base/files/inside_folder.hpp"

#include <algorithm>
#include <system_error>

namespace troupe {

bool stays_inside(const std::filesystem::path& folder, const std::filesystem::path& path) {
  if (path.is_absolute())
    return false;
  std::error_code unknown;
  const auto root = std::filesystem::canonical(folder.empty() ? "." : folder, unknown);
  if (unknown)
    return false;
  const auto whole = std::filesystem::weakly_canonical(root / path, unknown);
  if (unknown
      || std::mismatch(root.begin(), root.end(), whole.begin(), whole.end()).first != root.end())
    return false;
  // A link to a missing file is not resolved, and would be followed once the file exists.
  for (auto part = whole; part != root; part = part.parent_path())
    if (std::filesystem::is_symlink(part, unknown))
      return false;
  return true;
}

} // namespace troupe
