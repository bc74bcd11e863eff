// Helpers to write the drawings and tables of a grid's report.
#pragma once

#include <string>
#include <utility>
#include <vector>

namespace troupe {

/// Escapes text for HTML elements and attributes: & < > " and ' become entities.
std::string escaped_html(const std::string& text);

/// Four digits; "" for NaN.
std::string report_number(double x);

using PlacesInSvg = std::vector<std::pair<double, double>>; ///< x and y in pixels

/// "12.5,3 14,8": with tenths of pixels.
std::string svg_points(const PlacesInSvg& places);

/// @param anchor start, middle or end
std::string svg_text(double x, double y, const std::string& anchor, const std::string& text);

std::string svg_line(double x1, double y1, double x2, double y2, const std::string& style);

/// The style of the configuration at a rank from 0: a colour, and another line type for each cycle
/// of colours.
std::string rank_style(std::size_t rank);

/// The approximate width of a text of 12 pixels' height, in pixels.
double svg_text_width(const std::string& text);

} // namespace troupe
