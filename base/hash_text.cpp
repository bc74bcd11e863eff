#include "base/hash_text.hpp"

#define XXH_INLINE_ALL
#include <fmt/format.h>
#include <xxhash.h>

namespace troupe {

std::string hash_text(std::span<const std::byte> bytes) {
  return fmt::format("{:016x}", XXH3_64bits(bytes.data(), bytes.size()));
}

} // namespace troupe
