#include "apps/grid/report_svg.hpp"

#include "apps/plots/chart.hpp"

#include <cmath>
#include <cstdio>

namespace troupe {

namespace {

std::string tenths(double x) {
  char text[32];
  std::snprintf(text, sizeof text, "%g", std::round(x * 10) / 10);
  return text;
}

} // namespace

std::string escaped_html(const std::string& text) {
  std::string result;
  for (const auto c : text)
    switch (c) {
    case '&': result += "&amp;"; break;
    case '<': result += "&lt;"; break;
    case '>': result += "&gt;"; break;
    case '"': result += "&quot;"; break;
    case '\'': result += "&#39;"; break;
    default: result += c;
    }
  return result;
}

std::string report_number(double x) {
  char text[32] = "";
  if (!std::isnan(x))
    std::snprintf(text, sizeof text, "%.4g", x);
  return text;
}

std::string svg_points(const PlacesInSvg& places) {
  std::string text;
  for (const auto& [x, y] : places)
    text += (text.empty() ? "" : " ") + tenths(x) + "," + tenths(y);
  return text;
}

std::string svg_text(double x, double y, const std::string& anchor, const std::string& text) {
  return "<text x=\"" + tenths(x) + "\" y=\"" + tenths(y) + "\" text-anchor=\"" + anchor + "\">"
         + escaped_html(text) + "</text>\n";
}

std::string svg_line(double x1, double y1, double x2, double y2, const std::string& style) {
  return "<line class=\"" + style + "\" x1=\"" + tenths(x1) + "\" y1=\"" + tenths(y1) + "\" x2=\""
         + tenths(x2) + "\" y2=\"" + tenths(y2) + "\"/>\n";
}

std::string rank_style(std::size_t rank) {
  const auto style = style_of(rank, 0, rank + 1, 1);
  return "c" + std::to_string(style.color) + " d" + std::to_string(style.line_type);
}

double svg_text_width(const std::string& text) { return 7 * static_cast<double>(text.size()); }

} // namespace troupe
