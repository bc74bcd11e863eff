#include "troupe/messages/text.hpp"

#include <charconv>

namespace troupe {

std::string shortest(double x) {
  char text[32];
  return {text, std::to_chars(text, text + sizeof text, x).ptr};
}

std::string in_quotes(std::string_view text) {
  std::string result = "'";
  for (char c : text.substr(0, 60))
    result += c < ' ' && c >= 0 ? '?' : c;
  return result + (text.size() > 60 ? "...'" : "'");
}

} // namespace troupe
