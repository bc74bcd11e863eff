// A chart of curves as values: its contents and its layout. chart_drawing.hpp draws it.
#pragma once

#include <functional>
#include <string>
#include <vector>

namespace troupe {

/// Points joined by lines, with a gap where x or y is not finite. A single point is drawn as a
/// mark.
struct Curve {
  std::string label;
  std::vector<double> x, y;
  std::vector<double> raw;   ///< values before smoothing, drawn pale in the background; empty: none
  std::size_t color = 0;     ///< index in a palette that colour-blind people can distinguish
  std::size_t line_type = 0; ///< 0: solid, then dashed, dotted, dashed and dotted, ...
  bool failed = false;       ///< its training failed: a cross marks the end
};

struct Panel {
  std::string title;
  std::vector<Curve> curves;
};

/// Panels below each other, with the same x axis.
struct Chart {
  std::string title, x_label;
  bool log_y = false; ///< values that are not above 0 are then omitted
  std::vector<Panel> panels;
};

inline constexpr std::size_t palette_size = 12;
inline constexpr std::size_t line_types = 8;
inline constexpr std::size_t most_entries = 10; ///< of a legend; further ones are only counted

/// The style of a curve.
struct CurveStyle {
  std::size_t color = 0, line_type = 0;
};

/// No two curves of a panel have the same style (up to 96): the colour distinguishes workers or
/// runs, and the line type records; with a single record or a single worker both distinguish the
/// rest.
CurveStyle style_of(std::size_t worker, std::size_t record, std::size_t workers,
                    std::size_t records);

struct Range {
  double low = 0, high = 1;
};

/// The range of all finite values, a little widened; on a logarithmic axis of values above 0. 0 to
/// 1 without values.
Range range_of(const std::vector<const std::vector<double>*>& values, bool logarithmic);

struct Tick {
  double at = 0;
  std::string text;
};

/// The multiples of 1, 2 or 5 times a power of ten in the range: about `count` of them (at least
/// one for a count of 3 or more), and at most twice as many.
std::vector<Tick> round_ticks(Range range, int count);

/// Powers of ten for a range above 0, with 2 and 5 between if these are few; round ticks if the
/// range is less than a decade.
std::vector<Tick> log_ticks(Range range, int count);

/// Maps values to pixels.
class Axis {
public:
  Axis() = default;
  Axis(Range range, bool logarithmic, double from, double to);
  double place(double value) const;

private:
  double scaled(double value) const;
  bool logarithmic_ = false;
  double low_ = 0, high_ = 1, from_ = 0, to_ = 1;
};

/// The width of a text in pixels.
using TextWidth = std::function<double(const std::string& text)>;

struct LegendEntry {
  std::size_t curve
    = 0;            ///< index; the number of curves for the entry with the number of omitted ones
  std::string text; ///< shortened if too wide
  double x = 0, y = 0; ///< left end of its sample, middle of its line
};

struct PanelLayout {
  double left = 0, top = 0, right = 0, bottom = 0; ///< area of the curves
  double title_y = 0;                              ///< baseline
  std::vector<LegendEntry> legend;
  Axis x, y;
  std::vector<Tick> x_ticks, y_ticks;
};

/// In pixels from the upper left corner.
struct ChartLayout {
  double width = 0, height = 0;
  std::vector<PanelLayout> panels;
};

inline constexpr double legend_sample = 22; ///< pixels: the line before a legend's text
inline constexpr double legend_line = 17;   ///< pixels between two rows of a legend
inline constexpr double legend_gap = 6;     ///< pixels between sample and text

/// Lays out the chart so that no text overlaps another or leaves the picture; legends have as many
/// rows as they need.
ChartLayout lay_out(const Chart& chart, double width, const TextWidth& text_width);

/// The text, or its two ends around "…" if it is wider than `width`.
std::string shortened(const std::string& text, double width, const TextWidth& text_width);

} // namespace troupe
