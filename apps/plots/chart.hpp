// A chart of curves as values: what is to be drawn, and where each piece of it goes. The drawing
// itself is in chart_drawing.hpp.
#pragma once

#include <functional>
#include <string>
#include <vector>

namespace troupe {

/// Points joined by lines; where x or y is not finite there is a gap. A single point is a mark.
struct Curve {
  std::string label;
  std::vector<double> x, y;
  std::vector<double> raw;   ///< values before smoothing, drawn pale behind; empty: none
  std::size_t color = 0;     ///< number in a palette that colour-blind people can tell apart
  std::size_t line_type = 0; ///< 0: solid, then dashed, dotted, dashed and dotted, ...
  bool failed = false;       ///< its training failed: a cross marks where
};

struct Panel {
  std::string title;
  std::vector<Curve> curves;
};

/// Panels one below the other, with the same x axis.
struct Chart {
  std::string title, x_label;
  bool log_y = false; ///< values that are not above 0 are then left out
  std::vector<Panel> panels;
};

inline constexpr std::size_t palette_size = 12;
inline constexpr std::size_t line_types = 8;
inline constexpr std::size_t most_entries = 10; ///< of a legend; those beyond are counted only

/// How a curve is drawn.
struct CurveLook {
  std::size_t color = 0, line_type = 0;
};

/// No two curves of a panel look alike (up to 96): the colour tells strands apart, such as workers
/// or runs, and the line records; of one record, or one strand, both tell apart what there is.
CurveLook look_of(std::size_t strand, std::size_t record, std::size_t strands, std::size_t records);

struct Range {
  double low = 0, high = 1;
};

/// The range of all finite values, those above 0 alone on a logarithmic axis, a little widened;
/// 0 to 1 where there are none.
Range range_of(const std::vector<const std::vector<double>*>& values, bool logarithmic);

struct Tick {
  double at = 0;
  std::string text;
};

/// The multiples of 1, 2 or 5 times a power of ten in the range: about `count` of them (from
/// 3 on, for one at least), and never more than twice as many.
std::vector<Tick> round_ticks(Range range, int count);

/// Powers of ten, with 2 and 5 between where these are few, for a range above 0; round ticks where
/// the range is less than a decade.
std::vector<Tick> log_ticks(Range range, int count);

/// From values to pixels.
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
  std::size_t curve = 0; ///< that of the number of curves says how many more there are
  std::string text;      ///< shortened where it was too wide
  double x = 0, y = 0;   ///< of its sample's left end, and of the middle of its line
};

struct PanelLayout {
  double left = 0, top = 0, right = 0, bottom = 0; ///< of the area of the curves
  double title_y = 0;                              ///< base line
  std::vector<LegendEntry> legend;
  Axis x, y;
  std::vector<Tick> x_ticks, y_ticks;
};

/// In pixels from the upper left corner.
struct ChartLayout {
  double width = 0, height = 0;
  std::vector<PanelLayout> panels;
};

inline constexpr double legend_sample = 22; ///< pixels: the line in front of a legend's text
inline constexpr double legend_line = 17;   ///< pixels from one row of a legend to the next
inline constexpr double legend_gap = 6;     ///< pixels between sample and text

/// Puts every piece where no text overlaps another or leaves the picture; the legends take the
/// rows that they need.
ChartLayout lay_out(const Chart& chart, double width, const TextWidth& text_width);

/// The text, or its two ends around "…" where it is wider than `width`.
std::string shortened(const std::string& text, double width, const TextWidth& text_width);

} // namespace troupe
