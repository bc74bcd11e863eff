#include "base/files/file_content.hpp"

#include <fstream>
#include <sstream>
#include <utility>

namespace troupe {

std::optional<std::string> file_content(const std::filesystem::path& path) {
  std::ifstream file{path, std::ios::binary};
  if (!file)
    return {};
  std::ostringstream content; // whole buffers at a time: states have hundreds of megabytes
  content << file.rdbuf();
  return std::move(content).str();
}

} // namespace troupe
