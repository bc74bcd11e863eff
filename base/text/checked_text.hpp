// Texts that a program writes for itself and people may read: a checksum at their end tells whether
// they are as they were written, as the header of a saved state does for its content.
#pragma once

#include <filesystem>
#include <string>
#include <string_view>

namespace troupe {

/// A YAML document with a last line "# checksum: 0123456789abcdef".
std::string yaml_with_checksum(std::string text);
/// The same for the text of a JSON object, with a last member "checksum". @param text not empty
std::string json_with_checksum(std::string text);

enum class TextState {
  unmarked, ///< without a checksum: of an older program, or people have taken it away
  whole,
  changed,
};

TextState state_of(std::string_view text);

/// A YAML file of a run, which people may change if they say so.
/// @throws DataError where it is changed, with what to do. A file that is not there is no matter.
void check_yaml_file(const std::filesystem::path& path);

} // namespace troupe
