#include "base/text/byte_size.hpp"

#include <fmt/format.h>

namespace troupe {

std::string byte_size_text(std::uint64_t bytes) {
  constexpr auto megabyte = 1e6, gigabyte = 1e9;
  const auto size = static_cast<double>(bytes);
  return size >= gigabyte ? fmt::format("{:.1f} GB", size / gigabyte)
                          : fmt::format("{:.1f} MB", size / megabyte);
}

} // namespace troupe
