#include "base/files/file_content.hpp"

#include <fstream>
#include <sstream>
#include <system_error>
#include <utility>

namespace troupe {

std::optional<std::string> file_content(const std::filesystem::path& path) {
  std::ifstream file{path, std::ios::binary};
  if (!file)
    return {};
  std::error_code error; // a file without a size, such as one of /proc, is read to its end below
  const auto size = std::filesystem::file_size(path, error);
  std::string content(error ? 0 : size, '\0');
  file.read(content.data(), static_cast<std::streamsize>(content.size()));
  content.resize(static_cast<std::size_t>(file.gcount()));
  if (file) {
    std::ostringstream rest;
    rest << file.rdbuf();
    content += std::move(rest).str();
  }
  return content;
}

} // namespace troupe
