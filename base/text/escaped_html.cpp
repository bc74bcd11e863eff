#include "base/text/escaped_html.hpp"

namespace troupe {

std::string escaped_html(std::string_view text) {
  std::string result;
  for (const auto c : text)
    switch (c) {
    case '&': result += "&amp;"; break;
    case '<': result += "&lt;"; break;
    case '>': result += "&gt;"; break;
    case '"': result += "&quot;"; break;
    case '\'': result += "&#39;"; break;
    default: result += static_cast<unsigned char>(c) < 0x20 ? ' ' : c;
    }
  return result;
}

} // namespace troupe
