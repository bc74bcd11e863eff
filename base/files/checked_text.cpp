#include "base/files/checked_text.hpp"

#include "base/failure.hpp"
#include "base/files/file_content.hpp"
#include "base/hash_text.hpp"

#include <algorithm>
#include <span>

namespace troupe {

namespace {

constexpr std::string_view key = "checksum";
constexpr std::size_t digits = 16;

std::string checksum_of(std::string_view text) { return hash_text(std::as_bytes(std::span{text})); }

/// Only what closes the line or the object may follow the digits.
bool closes(std::string_view rest) {
  return rest.find_first_not_of("\"}\r\n") == std::string_view::npos;
}

} // namespace

std::string yaml_with_checksum(std::string text) {
  text += "# ";
  return text + std::string{key} + ": " + checksum_of(text) + "\n";
}

std::string json_with_checksum(std::string text) {
  text.erase(text.find_last_of('}'));
  text.erase(text.find_last_not_of(" \n") + 1);
  text += text.ends_with('{') ? "\n  \"" : ",\n  \"";
  return text + std::string{key} + "\": \"" + checksum_of(text) + "\"\n}\n";
}

TextState state_of(std::string_view text) {
  const auto at = text.rfind(key);
  if (at == std::string_view::npos)
    return TextState::unmarked;
  const auto mark = text.substr(at + key.size());
  for (const std::string_view between : {": ", "\": \""})
    if (mark.starts_with(between)) {
      const auto stored = mark.substr(between.size());
      return stored.starts_with(checksum_of(text.substr(0, at)))
                 && closes(stored.substr(std::min(digits, stored.size())))
               ? TextState::whole
               : TextState::changed;
    }
  return TextState::unmarked;
}

void check_yaml_file(const std::filesystem::path& path) {
  if (state_of(file_content(path).value_or("")) == TextState::changed)
    throw DataError("'" + path.string()
                    + "' is not as the run wrote it: its checksum is wrong. Restore it from a "
                      "copy; or, if you have changed it on purpose, delete its last line, '# "
                      "checksum: ...'");
}

} // namespace troupe
