#pragma once

#include "messages/checkpoint/checkpoint.hpp"

#include <filesystem>

namespace troupe {

/// "run/checkpoint.bin" -> "run/checkpoint_model.safetensors"
std::filesystem::path path_of_part(const std::filesystem::path& state, SeparatePart part);

/// Writes a part of a state to its own file beside `state`, completely or not at all.
/// @returns its bytes. @throws IoError if it cannot be written, or the log cannot be read; an
/// existing file stays.
std::uint64_t write_part(const std::filesystem::path& state, SeparatePart part,
                         const WriteRun& request);

} // namespace troupe
