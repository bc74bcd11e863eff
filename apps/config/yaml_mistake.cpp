#include "apps/config/yaml_mistake.hpp"

#include <algorithm>
#include <array>
#include <utility>

namespace troupe::config {

namespace {

/// The number of the first line, up to `last`, that is indented with a tab; 0 for none.
std::size_t line_with_tab(std::string_view text, std::size_t last) {
  for (std::size_t line = 1; line <= last && !text.empty(); ++line) {
    const auto end = std::min(text.find('\n'), text.size());
    const auto indent = text.substr(0, std::min(text.find_first_not_of(" \t"), end));
    if (indent.find('\t') != indent.npos)
      return line;
    text.remove_prefix(std::min(end + 1, text.size()));
  }
  return 0;
}

constexpr std::array mistakes{
  std::pair{"end of map not found",
            "this line is not indented as the other keys of its map; indent it as they are"},
  std::pair{"end of sequence not found",
            "this line is not indented as the other entries of its list; indent it as they are"},
  std::pair{"end of map flow not found", "a map that begins with { is not closed; close it with }"},
  std::pair{"end of sequence flow not found",
            "a list that begins with [ is not closed; close it with ]"},
  std::pair{"illegal flow end",
            "a bracket closes another kind than was opened; close [ with ] and { with }"},
  std::pair{"illegal EOF in scalar", "a quote is not closed; close it"},
  std::pair{"unknown token", "a text cannot begin with this character; put it into quotes"},
  std::pair{"illegal map value",
            "a colon is where no key can be; put a text with a colon into quotes"},
  std::pair{"the referenced anchor is not defined",
            "a text that begins with * is an alias, and nothing has its name; put it into quotes"},
};

} // namespace

std::string yaml_mistake(std::string_view text, std::size_t line, const std::string& message) {
  if (const auto tab = line_with_tab(text, line); tab > 0)
    return "line " + std::to_string(tab) + " is indented with a tab; use spaces instead";
  const auto known = std::find_if(mistakes.begin(), mistakes.end(), [&](const auto& mistake) {
    return message.starts_with(mistake.first);
  });
  return known == mistakes.end() ? "this cannot be read as YAML: " + message : known->second;
}

} // namespace troupe::config
