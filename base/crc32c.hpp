#pragma once

#include <cstdint>
#include <string_view>

namespace troupe {

/// The checksum CRC-32C (Castagnoli): polynomial 0x1EDC6F41, bits reflected (RFC 3720, B.4). zlib's
/// crc32 uses another polynomial.
std::uint32_t crc32c(std::string_view bytes);

} // namespace troupe
