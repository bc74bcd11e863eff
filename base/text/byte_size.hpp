#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace troupe {

/// A size for a sentence, in powers of 1000: "63.4 MB", "2.1 GB".
std::string byte_size_text(std::uint64_t bytes);

/// Bytes of a size as people write it: "512MB", "1.5 GB", "64 KiB", "4096". KB, MB, GB and TB are
/// powers of 1000, KiB, MiB, GiB and TiB of 1024; capitals do not matter, nor whether B is there.
std::optional<std::uint64_t> byte_size_in(std::string_view text);

} // namespace troupe
