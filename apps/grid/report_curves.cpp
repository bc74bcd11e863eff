#include "apps/grid/report_curves.hpp"

#include "apps/grid/report_svg.hpp"
#include "apps/plots/chart.hpp"
#include "messages/log/statistics.hpp"

#include <algorithm>
#include <cmath>

namespace troupe {

namespace {

constexpr double curves_width = 860, curves_height = 360; // pixels
constexpr double curves_left = 64, curves_right = 850, curves_top = 10, curves_bottom = 316;
constexpr std::size_t most_points = 400; // of a curve: more cannot be distinguished

struct CurveAxes {
  Axis x, y;
  bool logarithmic = false;
  std::vector<Tick> x_ticks, y_ticks;

  bool has_place(double value) const { return std::isfinite(value) && (!logarithmic || value > 0); }
};

/// The pieces of a curve between gaps.
using CurvePieces = std::vector<PlacesInSvg>;

std::vector<CurvePoint> thinned(const std::vector<CurvePoint>& points) {
  const auto each = (points.size() + most_points - 1) / most_points;
  if (each < 2)
    return points;
  std::vector<CurvePoint> fewer;
  for (std::size_t i = 0; i + 1 < points.size(); i += each)
    fewer.push_back(points[i]);
  fewer.push_back(points.back());
  return fewer;
}

CurvePieces pieces_of(const std::vector<CurvePoint>& points, const CurveAxes& axes) {
  CurvePieces pieces{{}};
  for (const auto& [epochs, value] : thinned(points))
    if (axes.has_place(value))
      pieces.back().emplace_back(axes.x.place(epochs), axes.y.place(value));
    else if (!pieces.back().empty())
      pieces.emplace_back();
  if (pieces.back().empty())
    pieces.pop_back();
  return pieces;
}

/// Draws a curve as one element, also with gaps; a single point becomes a dot.
std::string curve_path(const CurvePieces& pieces, const std::string& style,
                       const std::string& title) {
  std::string path;
  for (const auto& piece : pieces)
    path += "M" + svg_points(piece) + (piece.size() == 1 ? "h0" : "");
  return "<path class=\"" + style + "\" d=\"" + path + "\"><title>" + escaped_html(title)
         + "</title></path>\n";
}

CurveAxes axes_of(const RunCurves& curves) {
  std::vector<double> epochs, values;
  for (const auto& points : curves.points)
    for (const auto& point : points)
      if (std::isfinite(point.value)) {
        epochs.push_back(point.epochs);
        values.push_back(point.value);
      }
  CurveAxes axes;
  const auto [least, most] = std::minmax_element(values.begin(), values.end());
  axes.logarithmic = !values.empty() && *least > 0 && *most >= 20 * *least;
  const auto x = range_of({&epochs}, false), y = range_of({&values}, axes.logarithmic);
  axes.x = {x, false, curves_left, curves_right};
  axes.y = {y, axes.logarithmic, curves_bottom, curves_top};
  axes.x_ticks = round_ticks(x, 10);
  axes.y_ticks = axes.logarithmic ? log_ticks(y, 6) : round_ticks(y, 6);
  return axes;
}

std::string frame_of(const CurveAxes& axes, const std::string& name) {
  std::string svg;
  for (const auto& tick : axes.y_ticks) {
    const auto y = axes.y.place(tick.at);
    svg += svg_line(curves_left, y, curves_right, y, "grid")
           + svg_text(curves_left - 8, y + 4, "end", tick.text);
  }
  for (const auto& tick : axes.x_ticks) {
    const auto x = axes.x.place(tick.at);
    svg += svg_line(x, curves_bottom, x, curves_bottom + 5, "axis")
           + svg_text(x, curves_bottom + 20, "middle", tick.text);
  }
  return svg + svg_line(curves_left, curves_bottom, curves_right, curves_bottom, "axis")
         + svg_text((curves_left + curves_right) / 2, curves_height - 6, "middle",
                    name + " over epochs"
                      + (axes.logarithmic ? std::string{", logarithmic"} : std::string{}));
}

/// The mean of a configuration's runs and its band.
std::string mean_and_band(const RunCurves& curves, const ReportConfiguration& configuration,
                          const CurveAxes& axes, const std::string& label) {
  std::map<double, std::vector<double>> samples; // by epochs
  for (const auto i : configuration.runs)
    for (const auto& point : curves.points[i])
      if (axes.has_place(point.value))
        samples[point.epochs].push_back(point.value);
  std::vector<CurvePoint> means, lows, highs;
  for (const auto& [epochs, values] : samples) {
    const auto [mean, least, most, deviation] = spread_of(values);
    // A lower end that a logarithmic axis cannot show is drawn at the lowest run.
    const auto low = axes.has_place(mean - deviation) ? mean - deviation : least;
    means.push_back({epochs, mean});
    lows.push_back({epochs, low});
    highs.push_back({epochs, mean + deviation});
  }
  PlacesInSvg outline;
  for (const auto& [epochs, value] : thinned(highs))
    outline.emplace_back(axes.x.place(epochs), axes.y.place(value));
  auto below = thinned(lows);
  std::reverse(below.begin(), below.end());
  for (const auto& [epochs, value] : below)
    outline.emplace_back(axes.x.place(epochs), axes.y.place(value));
  return "<polygon class=\"band\" points=\"" + svg_points(outline) + "\"/>\n"
         + curve_path(pieces_of(means, axes), "mean", label + ": mean");
}

} // namespace

RunCurves scores_of_runs(const GridReport& report) {
  RunCurves curves{report.by, {}};
  for (const auto& run : report.runs)
    curves.points.push_back(run.scores);
  return curves;
}

RunCurves statistic_of_runs(const GridReport& report, const std::string& name) {
  RunCurves curves{name, {}};
  for (const auto& run : report.runs) {
    const auto found = run.statistics.find(name);
    curves.points.push_back(found == run.statistics.end() ? std::vector<CurvePoint>{}
                                                          : found->second);
  }
  return curves;
}

std::string curves_svg(const GridReport& report, const RunCurves& curves) {
  const auto axes = axes_of(curves);
  std::string groups;
  // The best last, so that it is on top.
  for (auto rank = report.configurations.size(); rank-- > 0;) {
    const auto& configuration = report.configurations[rank];
    const auto label = label_of(report, configuration);
    std::string lines;
    std::size_t count = 0;
    for (const auto i : configuration.runs) {
      const auto& run = report.runs[i];
      const auto pieces = pieces_of(curves.points[i], axes);
      if (pieces.empty())
        continue;
      ++count;
      lines += curve_path(pieces, "run",
                          label + ", repetition " + std::to_string(run.repetition) + ": "
                            + report_number(curves.points[i].back().value));
    }
    if (count > 1)
      lines = mean_and_band(curves, configuration, axes, label) + lines;
    if (count > 0)
      groups += "<g class=\"" + rank_style(rank) + (count > 1 ? "" : " single") + "\">\n" + lines
                + "</g>\n";
  }
  if (groups.empty())
    return {};
  return "<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 "
         + std::to_string(static_cast<int>(curves_width)) + " "
         + std::to_string(static_cast<int>(curves_height)) + "\" role=\"img\" aria-label=\""
         + escaped_html(curves.name + " of all runs over epochs") + "\">\n"
         + frame_of(axes, curves.name) + groups + "</svg>\n";
}

} // namespace troupe
