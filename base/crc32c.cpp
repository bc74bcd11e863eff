#include "base/crc32c.hpp"

#include <array>

namespace troupe {

namespace {

constexpr std::uint32_t castagnoli = 0x82F63B78; // reflected

constexpr std::array<std::uint32_t, 256> crc_of_bytes() {
  std::array<std::uint32_t, 256> table{};
  for (std::uint32_t byte = 0; byte < table.size(); ++byte) {
    auto crc = byte;
    for (int bit = 0; bit < 8; ++bit)
      crc = (crc & 1) != 0 ? crc >> 1 ^ castagnoli : crc >> 1;
    table[byte] = crc;
  }
  return table;
}

constexpr auto crc_table = crc_of_bytes();

} // namespace

std::uint32_t crc32c(std::string_view bytes) {
  auto crc = ~std::uint32_t{0};
  for (const auto byte : bytes)
    crc = crc >> 8 ^ crc_table[(crc ^ static_cast<std::uint8_t>(byte)) & 0xff];
  return ~crc;
}

} // namespace troupe
