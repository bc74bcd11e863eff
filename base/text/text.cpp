#include "base/text/text.hpp"

#include <cctype>
#include <charconv>
#include <cmath>

namespace troupe {

std::string shortest(double x) {
  char text[32];
  return {text, std::to_chars(text, text + sizeof text, without_nan_sign(x)).ptr};
}

double without_nan_sign(double x) { return std::isnan(x) ? std::fabs(x) : x; }

std::string quantity(std::uint64_t count, const std::string& what, const std::string& ending) {
  return std::to_string(count) + " " + what + (count == 1 ? "" : ending);
}

std::string in_quotes(std::string_view text) {
  std::string result = "'";
  for (char c : text.substr(0, 60))
    result += c < ' ' && c >= 0 ? '?' : c;
  return result + (text.size() > 60 ? "...'" : "'");
}

std::string in_shell_quotes(std::string_view text) {
  std::string quoted = "'";
  for (const char c : text)
    quoted += c == '\'' ? std::string{"'\\''"} : std::string{c};
  return quoted + "'";
}

std::string lower_case(std::string_view text) {
  std::string result;
  for (char c : text)
    result += static_cast<char>(std::tolower(static_cast<unsigned char>(c)));
  return result;
}

std::string upper_case(std::string_view text) {
  std::string result;
  for (char c : text)
    result += static_cast<char>(std::toupper(static_cast<unsigned char>(c)));
  return result;
}

std::string_view trimmed(std::string_view text) {
  constexpr std::string_view blanks = " \t\r\n";
  const auto first = text.find_first_not_of(blanks);
  return first == text.npos ? "" : text.substr(first, text.find_last_not_of(blanks) - first + 1);
}

bool is_digits(std::string_view text) {
  return !text.empty() && text.find_first_not_of("0123456789") == text.npos;
}

} // namespace troupe
