#include "model/data/table/csv_separator_text.hpp"

#include <stdexcept>

namespace troupe {

std::string separator_text(char mark) {
  return mark == '\t' ? "tab" : mark == ' ' ? "blanks" : std::string(1, mark);
}

char separator_of_option(const std::string& option) {
  if (option == "tab" || option == "\\t")
    return '\t';
  if (option == "blanks")
    return ' ';
  if (option.size() != 1 || option[0] == '"' || option[0] == '\n' || option[0] == '\r'
      || static_cast<unsigned char>(option[0]) >= 0x80 || option[0] == '\0')
    throw std::invalid_argument("csv: separator is \"" + option
                                + "\"; give auto, one character such as , or ;, or tab or blanks");
  return option[0];
}

std::optional<char> named_separator(std::string_view text) {
  const bool quoted = text.starts_with('"');
  text.remove_prefix(quoted ? 1 : 0);
  if (!(text.starts_with("sep=") || text.starts_with("SEP=")) || text.size() < 5)
    return std::nullopt;
  const auto mark = text[4];
  text.remove_prefix(5);
  if (quoted && !text.starts_with('"'))
    return std::nullopt;
  text.remove_prefix(quoted ? 1 : 0);
  const bool ends = text.empty() || text[0] == '\n' || text[0] == '\r';
  return ends && mark != '"' && mark != '\n' && mark != '\r' ? std::optional{mark} : std::nullopt;
}

} // namespace troupe
