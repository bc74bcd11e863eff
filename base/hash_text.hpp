#pragma once

#include <cstddef>
#include <span>
#include <string>

namespace troupe {

/// XXH3 of bytes, 64 bits, as 16 hexadecimal digits. Detects accidental differences only.
std::string hash_text(std::span<const std::byte> bytes);

} // namespace troupe
