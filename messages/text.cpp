#include "troupe/messages/text.hpp"

#include <cctype>
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

std::string lower_case(std::string_view text) {
  std::string result;
  for (char c : text)
    result += static_cast<char>(std::tolower(static_cast<unsigned char>(c)));
  return result;
}

} // namespace troupe
