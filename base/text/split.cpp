#include "base/text/split.hpp"

namespace troupe {

std::vector<std::string> split_at(char mark, std::string_view text) {
  std::vector<std::string> parts{""};
  for (const char c : text)
    if (c == mark)
      parts.emplace_back();
    else
      parts.back() += c;
  return parts;
}

} // namespace troupe
