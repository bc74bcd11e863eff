#include "base/files/head_checksum.hpp"

#include "base/crc32c.hpp"

#include <algorithm>
#include <string>

namespace troupe {

std::uint32_t head_checksum(std::istream& file, std::uint64_t end) {
  constexpr std::uint64_t longest = 4096;
  std::string head(std::min(end, longest), '\0');
  file.seekg(0);
  file.read(head.data(), static_cast<std::streamsize>(head.size()));
  head.resize(static_cast<std::size_t>(std::max<std::streamsize>(0, file.gcount())));
  file.clear();
  return crc32c(head);
}

} // namespace troupe
