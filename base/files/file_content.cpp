#include "base/files/file_content.hpp"

#include <fstream>
#include <iterator>

namespace troupe {

std::optional<std::string> file_content(const std::filesystem::path& path) {
  std::ifstream file{path, std::ios::binary};
  if (!file)
    return {};
  return std::string{std::istreambuf_iterator<char>{file}, {}};
}

} // namespace troupe
