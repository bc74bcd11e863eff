#include "model/data/table/csv_text.hpp"

#include <array>

namespace troupe {

namespace {

/// A quick test: most cells begin and end with an ASCII character that is not blank.
bool may_be_blank(char c) { return c == ' ' || c == '\t' || static_cast<unsigned char>(c) >= 0x80; }

} // namespace

std::size_t blank_length(std::string_view text, std::size_t at) {
  static constexpr std::array<std::string_view, 6> blanks{
    " ", "\t", "\xC2\xA0", "\xE2\x80\xAF", "\xE2\x80\x89", "\xE2\x80\x87"};
  if (at >= text.size() || !may_be_blank(text[at]))
    return 0;
  for (const auto blank : blanks)
    if (text.substr(at).starts_with(blank))
      return blank.size();
  return 0;
}

std::string_view without_blanks(std::string_view text) {
  while (const auto length = blank_length(text, 0))
    text.remove_prefix(length);
  while (!text.empty() && may_be_blank(text.back())) {
    std::size_t length = 0;
    for (const std::size_t bytes : {1, 2, 3})
      if (bytes <= text.size() && blank_length(text, text.size() - bytes) == bytes)
        length = bytes;
    if (length == 0)
      break;
    text.remove_suffix(length);
  }
  return text;
}

std::string escaped_text(std::string_view text) {
  constexpr std::size_t most = 60;
  std::string line;
  for (const auto byte : text) {
    const auto first_of_character = (static_cast<unsigned char>(byte) & 0xC0U) != 0x80U;
    if (line.size() >= most && first_of_character)
      return line + "...";
    switch (byte) {
    case '\n': line += "\\n"; break;
    case '\r': line += "\\r"; break;
    case '\t': line += "\\t"; break;
    default: line += byte;
    }
  }
  return line;
}

std::string shown_cell(std::string_view text) { return "\"" + escaped_text(text) + "\""; }

} // namespace troupe
