#include "base/text/wrapped_text.hpp"

#include <algorithm>
#include <vector>

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

struct LinePart {
  std::size_t begin; ///< bytes before it
  std::size_t end;   ///< without the blanks behind it
};

std::vector<LinePart> parts_of_line(const std::string& line) {
  std::vector<LinePart> parts;
  for (auto begin = line.find_first_not_of(' '); begin != std::string::npos;) {
    const auto end = std::min(line.find("  ", begin), line.size());
    parts.push_back({begin, end});
    begin = line.find_first_not_of(' ', end);
  }
  if (parts.size() < 2)
    return parts;
  if (const auto colon = line.find(": ");
      colon != std::string::npos && colon + 2 < parts[0].end) { // one blank behind a head
    parts.insert(parts.begin(), {parts[0].begin, colon + 1});
    parts[1].begin = colon + 2;
  }
  return parts;
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

std::string folded_between_parts(const std::string& line, std::size_t columns) {
  const auto parts = parts_of_line(line);
  if (parts.size() < 2 || columns_of(line) <= columns)
    return line;
  const auto width = [&](std::size_t begin, std::size_t end) {
    return columns_of(std::string_view{line}.substr(begin, end - begin));
  };
  auto indent = width(0, parts[1].begin);
  for (std::size_t i = 1; i < parts.size(); ++i)
    if (indent + width(parts[i].begin, parts[i].end) > columns)
      indent = 4;
  auto folded = line.substr(0, parts[0].end);
  auto used = columns_of(folded);
  for (std::size_t i = 1; i < parts.size(); ++i) {
    const auto with_gap = width(parts[i - 1].end, parts[i].end);
    const auto fits = used + with_gap <= columns;
    folded += fits ? line.substr(parts[i - 1].end, parts[i].begin - parts[i - 1].end)
                   : "\n" + std::string(indent, ' ');
    folded += line.substr(parts[i].begin, parts[i].end - parts[i].begin);
    used = fits ? used + with_gap : indent + width(parts[i].begin, parts[i].end);
  }
  return folded;
}

} // namespace troupe
