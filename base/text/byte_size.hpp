#pragma once

#include <cstdint>
#include <string>

namespace troupe {

/// A size for a sentence, in powers of 1000: "63.4 MB", "2.1 GB".
std::string byte_size_text(std::uint64_t bytes);

} // namespace troupe
