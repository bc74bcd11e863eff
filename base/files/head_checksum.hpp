#pragma once

#include <cstdint>
#include <istream>

namespace troupe {

/// The checksum of the first bytes of a file, 4096 at most, by which a file that was replaced is
/// known from one that has grown.
/// @param end offset of the first byte that does not count
std::uint32_t head_checksum(std::istream& file, std::uint64_t end);

} // namespace troupe
