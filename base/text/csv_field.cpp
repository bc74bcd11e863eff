#include "base/text/csv_field.hpp"

namespace troupe {

std::string csv_field(const std::string& text) {
  if (text.find_first_of(",\"\r\n") == std::string::npos)
    return text;
  std::string result = "\"";
  for (auto letter : text)
    result += letter == '"' ? "\"\"" : std::string(1, letter);
  return result + "\"";
}

} // namespace troupe
