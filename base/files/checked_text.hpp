// Texts that the program writes and people may read. A checksum at the end tells whether the text
// was changed.
#pragma once

#include <filesystem>
#include <string>
#include <string_view>

namespace troupe {

/// A YAML document with a last line "# checksum: 0123456789abcdef".
std::string yaml_with_checksum(std::string text);
/// The same for a JSON object, with a last member "checksum". @param text not empty
std::string json_with_checksum(std::string text);

enum class TextState {
  unmarked, ///< without a checksum: written by an older program, or removed by people
  whole,
  changed,
};

TextState state_of(std::string_view text);

/// Checks a YAML file of a run, which people may change if they delete its checksum.
/// @throws DataError if it was changed, with what to do. A missing file is no error.
void check_yaml_file(const std::filesystem::path& path);

} // namespace troupe
