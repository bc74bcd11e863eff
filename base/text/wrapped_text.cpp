#include "base/text/wrapped_text.hpp"

namespace troupe {

namespace {

/// The last blank within the first `columns` columns; npos if there is none.
std::size_t last_blank_within(const std::string& text, std::size_t columns) {
  auto end = std::string::npos;
  for (auto blank = text.find(' '); blank != std::string::npos; blank = text.find(' ', blank + 1)) {
    if (columns_of(std::string_view{text}.substr(0, blank)) > columns)
      break;
    end = blank;
  }
  return end;
}

} // namespace

std::size_t columns_of(std::string_view text) {
  std::size_t columns = 0;
  for (std::size_t i = 0; i < text.size(); ++i)
    if (text[i] == '\x1b') {
      while (i + 1 < text.size() && text[i] != 'm')
        ++i;
    } else {
      columns += (static_cast<unsigned char>(text[i]) & 0xC0) != 0x80;
    }
  return columns;
}

std::string wrapped(const std::string& text, const std::string& separator, std::size_t columns,
                    const std::string& indent) {
  std::string result, line;
  const auto end_line = [&] {
    result += line + "\n";
    line = indent;
  };
  for (std::size_t begin = 0; begin < text.size();) {
    auto end = text.find(separator + " ", begin);
    end = end == std::string::npos ? text.size() : end + separator.size();
    auto piece = text.substr(begin, end - begin);
    begin = end + 1;
    if (line.size() > indent.size() || (result.empty() && !line.empty())) {
      if (columns_of(line) + 1 + columns_of(piece) > columns)
        end_line();
      else
        line += ' ';
    }
    while (columns_of(line) + columns_of(piece) > columns && columns_of(line) < columns) {
      const auto blank = last_blank_within(piece, columns - columns_of(line));
      if (blank == std::string::npos)
        break; // one long word
      line += piece.substr(0, blank);
      piece.erase(0, blank + 1);
      end_line();
    }
    line += piece;
  }
  return result + line;
}

} // namespace troupe
