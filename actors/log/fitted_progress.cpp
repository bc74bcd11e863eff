#include "actors/log/fitted_progress.hpp"

#include "base/text/text.hpp"
#include "base/text/wrapped_text.hpp"

#include <algorithm>
#include <array>
#include <cctype>
#include <cstdlib>
#include <string_view>
#include <utility>
#include <vector>

namespace troupe {

namespace {

constexpr std::size_t shortest_bar = 5;

/// The filled and the empty part of a bar.
struct BarStyle {
  std::string_view done, open;
};
constexpr std::array bar_styles{BarStyle{"━", "─"}, BarStyle{"#", "."}};

struct FoundBar {
  std::size_t begin = 0, end = 0; ///< in bytes
  std::size_t done = 0, open = 0; ///< columns
  BarStyle style;
};

/// How often `sign` is repeated from `at`, which is advanced past it.
std::size_t count_signs(std::string_view text, std::string_view sign, std::size_t& at) {
  std::size_t count = 0;
  for (; text.substr(at).starts_with(sign); at += sign.size())
    ++count;
  return count;
}

/// The longest run of bar characters; runs below shortest_bar do not count.
FoundBar bar_in(std::string_view text) {
  FoundBar found;
  for (const auto& style : bar_styles)
    for (std::size_t at = 0; at < text.size();) {
      FoundBar bar{at, at, 0, 0, style};
      bar.done = count_signs(text, style.done, bar.end);
      bar.open = count_signs(text, style.open, bar.end);
      if (bar.done + bar.open > std::max(found.done + found.open, shortest_bar))
        found = bar;
      at = std::max(bar.end, at + 1);
    }
  return found;
}

std::string with_shorter_bar(const std::string& text, std::size_t excess) {
  const auto bar = bar_in(text);
  const auto width = bar.done + bar.open;
  if (width <= shortest_bar)
    return text;
  const auto left = std::max(shortest_bar, width - std::min(width, excess));
  std::string drawn;
  for (std::size_t i = 0; i < left; ++i)
    drawn += i < bar.done * left / width ? bar.style.done : bar.style.open;
  return text.substr(0, bar.begin) + drawn + text.substr(bar.end);
}

/// Cuts after `columns`; escape sequences are kept.
std::string cut_line(const std::string& text, std::size_t columns) {
  auto result = text;
  while (!result.empty() && columns_of(result) > columns) {
    while (result.size() > 1 && (static_cast<unsigned char>(result.back()) & 0xC0) == 0x80)
      result.pop_back();
    result.pop_back();
  }
  return result;
}

} // namespace

std::string fitted_progress(const std::string& text, int columns) {
  const auto room = static_cast<std::size_t>(std::max(columns, 1));
  auto line = text;
  if (columns_of(line) > room)
    line = with_shorter_bar(line, columns_of(line) - room);
  for (auto first = line.find("  "); columns_of(line) > room && first != std::string::npos;
       first = line.find("  ")) {
    const auto next = line.find("  ", first + 2);
    line.erase(first, next == std::string::npos ? next : next - first);
  }
  return cut_line(line, room);
}

std::string in_ascii(const std::string& text) {
  std::string result;
  for (std::size_t i = 0; i < text.size();) {
    const auto sign = std::string_view{text}.substr(i);
    if (sign.starts_with(bar_styles[0].done)) {
      result += bar_styles[1].done;
      i += bar_styles[0].done.size();
    } else if (sign.starts_with(bar_styles[0].open)) {
      result += bar_styles[1].open;
      i += bar_styles[0].open.size();
    } else {
      result += text[i++];
    }
  }
  return result;
}

bool locale_has_utf8() {
  for (const auto* variable : {"LC_ALL", "LC_CTYPE", "LANG"}) {
    const auto* value = std::getenv(variable);
    if (value == nullptr || *value == '\0')
      continue;
    const auto name = lower_case(value);
    return name.find("utf-8") != std::string::npos || name.find("utf8") != std::string::npos;
  }
  return false;
}

} // namespace troupe
