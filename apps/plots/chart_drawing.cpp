#include "apps/plots/chart_drawing.hpp"

#include "apps/plots/decimation.hpp"
#include "base/text/utf8.hpp"

#include <cairo-svg.h>
#include <cairo.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <memory>
#include <optional>
#include <stdexcept>

namespace troupe {

namespace {

constexpr double chart_width = 860; // pixels
constexpr double text_size = 12;
constexpr double title_size = 15;
constexpr std::size_t dotted_up_to = 40; // curves of up to this many points have a dot at each

struct Ink {
  double red, green, blue;
};

// Okabe and Ito's palette (jfly.uni-koeln.de/color), without its yellow, which is too pale on
// white: blue, vermilion, green, purple, orange, sky blue, black; then darker and greyer ones that
// differ from these in lightness, too: brown, olive, violet, grey, dark red.
constexpr std::array<Ink, palette_size> palette{{{0, 0.447, 0.698},
                                                 {0.835, 0.369, 0},
                                                 {0, 0.62, 0.451},
                                                 {0.8, 0.475, 0.655},
                                                 {0.902, 0.624, 0},
                                                 {0.337, 0.706, 0.914},
                                                 {0.1, 0.1, 0.1},
                                                 {0.55, 0.34, 0.16},
                                                 {0.52, 0.55, 0},
                                                 {0.35, 0.18, 0.6},
                                                 {0.55, 0.55, 0.55},
                                                 {0.55, 0, 0.15}}};
constexpr Ink dark{0.13, 0.13, 0.13};
constexpr Ink middle{0.4, 0.4, 0.4};
constexpr Ink pale{0.88, 0.88, 0.88};

/// Replaces invalid UTF-8, which cairo would refuse, by question marks.
std::string utf8_of(const std::string& text) {
  std::string result;
  for (std::size_t i = 0; i < text.size();) {
    const auto first = static_cast<unsigned char>(text[i]);
    const auto length = utf8_length(text, i);
    const auto good = length > 0 && first >= 0x20 && first != 0x7F;
    result += good ? text.substr(i, length) : "?";
    i += good ? length : 1;
  }
  return result;
}

enum class Align : std::uint8_t { left, center, right };

class Pen {
public:
  explicit Pen(cairo_surface_t* surface) : cairo_(cairo_create(surface), &cairo_destroy) {
    cairo_select_font_face(cairo(), "sans-serif", CAIRO_FONT_SLANT_NORMAL,
                           CAIRO_FONT_WEIGHT_NORMAL);
    cairo_set_font_size(cairo(), text_size);
  }

  cairo_t* cairo() const { return cairo_.get(); }

  void ink(const Ink& ink, double opacity = 1) const {
    cairo_set_source_rgba(cairo(), ink.red, ink.green, ink.blue, opacity);
  }

  double width_of(const std::string& text) const {
    cairo_text_extents_t extents;
    cairo_text_extents(cairo(), utf8_of(text).c_str(), &extents);
    return extents.x_advance;
  }

  void text(const std::string& text, double x, double y, Align align) const {
    const auto width = align == Align::left ? 0 : width_of(text);
    cairo_move_to(cairo(), x - (align == Align::center ? width / 2 : width), y);
    cairo_show_text(cairo(), utf8_of(text).c_str());
  }

  void line(double x1, double y1, double x2, double y2) const {
    cairo_move_to(cairo(), x1, y1);
    cairo_line_to(cairo(), x2, y2);
    cairo_stroke(cairo());
  }

  /// @param type as in Curve
  void dash(std::size_t type) const {
    static const std::array<std::vector<double>, line_types> dashes{{{},
                                                                     {7, 3.5},
                                                                     {1.6, 2.8},
                                                                     {7, 3, 1.6, 3},
                                                                     {14, 4},
                                                                     {7, 3, 1.6, 3, 1.6, 3},
                                                                     {3.5, 3.5},
                                                                     {14, 3, 4, 3}}};
    const auto& dash = dashes[type % line_types];
    cairo_set_dash(cairo(), dash.data(), static_cast<int>(dash.size()), 0);
  }

private:
  std::unique_ptr<cairo_t, void (*)(cairo_t*)> cairo_;
};

/// The centre of a pixel, where a thin line is sharp.
double sharp(double x) { return std::floor(x) + 0.5; }

void draw_grid(const Pen& pen, const PanelLayout& panel) {
  cairo_set_line_width(pen.cairo(), 1);
  for (const auto& tick : panel.y_ticks) {
    const auto y = sharp(panel.y.place(tick.at));
    pen.ink(pale);
    pen.line(panel.left, y, panel.right, y);
    pen.ink(middle);
    pen.text(tick.text, panel.left - 8, y + 4, Align::right);
  }
  for (const auto& tick : panel.x_ticks) {
    const auto x = sharp(panel.x.place(tick.at));
    pen.ink(pale);
    pen.line(x, panel.top, x, panel.bottom);
    pen.ink(middle);
    pen.line(x, panel.bottom, x, panel.bottom + 4);
    pen.text(tick.text, x, panel.bottom + 17, Align::center);
  }
  pen.line(sharp(panel.left), panel.top, sharp(panel.left), panel.bottom);
  pen.line(panel.left, sharp(panel.bottom), panel.right, sharp(panel.bottom));
}

/// The points that can be seen: the lowest and the highest of each dot of the width, of which there
/// are two per pixel. Points without a place on the axes are gaps.
CurveData visible_points(const PanelLayout& panel, const std::vector<double>& x,
                         const std::vector<double>& y, bool logarithmic) {
  constexpr double points_per_pixel = 4;
  return decimated(DrawnPoints{x, y, logarithmic},
                   static_cast<std::size_t>(points_per_pixel * (panel.right - panel.left)));
}

/// Draws lines through the points, and dots for single points or, with `dots`, for all.
void draw_points(const Pen& pen, const PanelLayout& panel, const CurveData& points, bool dots) {
  const auto& x = points.x;
  const auto& y = points.y;
  const auto drawn
    = [&](std::size_t i) { return i < x.size() && std::isfinite(x[i]) && std::isfinite(y[i]); };
  for (std::size_t i = 0; i < x.size(); ++i)
    if (drawn(i)) {
      const auto joined = i > 0 && drawn(i - 1);
      (joined ? cairo_line_to : cairo_move_to)(pen.cairo(), panel.x.place(x[i]),
                                               panel.y.place(y[i]));
    }
  cairo_stroke(pen.cairo());
  for (std::size_t i = 0; i < x.size(); ++i)
    if (drawn(i) && (dots || !((i > 0 && drawn(i - 1)) || drawn(i + 1)))) {
      cairo_new_sub_path(pen.cairo());
      cairo_arc(pen.cairo(), panel.x.place(x[i]), panel.y.place(y[i]), 2.2, 0, 2 * M_PI);
    }
  cairo_fill(pen.cairo());
}

/// Draws a curve of one point, like the test at the end of training.
void draw_mark(const Pen& pen, double x, double y) {
  pen.dash(0);
  cairo_new_path(pen.cairo());
  cairo_arc(pen.cairo(), x, y, 4.5, 0, 2 * M_PI);
  cairo_fill_preserve(pen.cairo());
  pen.ink({1, 1, 1});
  cairo_set_line_width(pen.cairo(), 1.2);
  cairo_stroke(pen.cairo());
}

/// Draws the mark of a failed training.
void draw_failure(const Pen& pen, double x, double y) {
  constexpr double arm = 4.5;
  pen.dash(0);
  cairo_set_line_width(pen.cairo(), 2.2);
  pen.line(x - arm, y - arm, x + arm, y + arm);
  pen.line(x - arm, y + arm, x + arm, y - arm);
}

/// The last visible point.
std::optional<std::size_t> last_drawn(const Curve& curve, bool logarithmic) {
  for (auto i = std::min(curve.x.size(), curve.y.size()); i-- > 0;)
    if (std::isfinite(curve.x[i]) && std::isfinite(curve.y[i]) && (!logarithmic || curve.y[i] > 0))
      return i;
  return {};
}

void draw_curves(const Pen& pen, const Panel& what, const PanelLayout& panel, bool logarithmic) {
  cairo_save(pen.cairo());
  cairo_rectangle(pen.cairo(), panel.left - 6, panel.top - 6, panel.right - panel.left + 12,
                  panel.bottom - panel.top + 12);
  cairo_clip(pen.cairo());
  cairo_set_line_join(pen.cairo(), CAIRO_LINE_JOIN_ROUND);
  for (const auto& curve : what.curves)
    if (!curve.raw.empty()) {
      pen.ink(palette[curve.color % palette_size], 0.25);
      cairo_set_line_width(pen.cairo(), 1);
      draw_points(pen, panel, visible_points(panel, curve.x, curve.raw, logarithmic), false);
    }
  for (const auto& curve : what.curves) {
    pen.ink(palette[curve.color % palette_size]);
    const auto end = curve.failed ? last_drawn(curve, logarithmic) : std::nullopt;
    if (end)
      draw_failure(pen, panel.x.place(curve.x[*end]), panel.y.place(curve.y[*end]));
    if (curve.x.size() == 1) {
      if (!end)
        draw_mark(pen, panel.x.place(curve.x[0]), panel.y.place(curve.y[0]));
      continue;
    }
    cairo_set_line_width(pen.cairo(), 1.8);
    pen.dash(curve.line_type);
    draw_points(pen, panel, visible_points(panel, curve.x, curve.y, logarithmic),
                curve.x.size() <= dotted_up_to);
    pen.dash(0);
  }
  cairo_restore(pen.cairo());
}

void draw_legend(const Pen& pen, const Panel& what, const PanelLayout& panel) {
  for (const auto& entry : panel.legend) {
    if (entry.curve == what.curves.size()) {
      pen.ink(middle);
      pen.text(entry.text, entry.x, entry.y + 4, Align::left);
      continue;
    }
    const auto& curve = what.curves[entry.curve];
    pen.ink(palette[curve.color % palette_size]);
    cairo_set_line_width(pen.cairo(), 2.4);
    pen.dash(curve.line_type);
    if (curve.x.size() == 1)
      draw_mark(pen, entry.x + legend_sample / 2, entry.y);
    else
      pen.line(entry.x, entry.y, entry.x + legend_sample, entry.y);
    pen.dash(0);
    pen.ink(dark);
    pen.text(entry.text, entry.x + legend_sample + legend_gap, entry.y + 4, Align::left);
  }
}

/// Draws the chart on any kind of surface.
void draw(const Pen& pen, const Chart& chart, const ChartLayout& layout) {
  cairo_set_source_rgb(pen.cairo(), 1, 1, 1);
  cairo_paint(pen.cairo());
  pen.ink(dark);
  cairo_set_font_size(pen.cairo(), title_size);
  const auto width_of = [&](const std::string& text) { return pen.width_of(text); };
  pen.text(shortened(chart.title, layout.width - 40, width_of), layout.width / 2, 32,
           Align::center);
  cairo_set_font_size(pen.cairo(), text_size);
  for (std::size_t i = 0; i < layout.panels.size(); ++i) {
    const auto& panel = layout.panels[i];
    pen.ink(dark);
    cairo_select_font_face(pen.cairo(), "sans-serif", CAIRO_FONT_SLANT_NORMAL,
                           CAIRO_FONT_WEIGHT_BOLD);
    pen.text(shortened(chart.panels[i].title, panel.right - panel.left, width_of), panel.left,
             panel.title_y, Align::left);
    cairo_select_font_face(pen.cairo(), "sans-serif", CAIRO_FONT_SLANT_NORMAL,
                           CAIRO_FONT_WEIGHT_NORMAL);
    draw_legend(pen, chart.panels[i], panel);
    draw_grid(pen, panel);
    draw_curves(pen, chart.panels[i], panel, chart.log_y);
  }
  if (!layout.panels.empty()) {
    const auto& lowest = layout.panels.back();
    pen.ink(dark);
    pen.text(chart.x_label, (lowest.left + lowest.right) / 2, lowest.bottom + 37, Align::center);
  }
}

cairo_status_t collect_bytes(void* bytes, const unsigned char* data, unsigned int length) {
  static_cast<std::string*>(bytes)->append(reinterpret_cast<const char*>(data), length);
  return CAIRO_STATUS_SUCCESS;
}

using Surface = std::unique_ptr<cairo_surface_t, void (*)(cairo_surface_t*)>;

void check_drawn(const Pen& pen, const Surface& surface) {
  for (const auto status : {cairo_status(pen.cairo()), cairo_surface_status(surface.get())})
    if (status != CAIRO_STATUS_SUCCESS)
      throw std::runtime_error(std::string{"cannot draw the chart: "}
                               + cairo_status_to_string(status));
}

/// Lays out the chart with the fonts that it is drawn with.
ChartLayout measured(const Chart& chart) {
  const Surface surface{cairo_image_surface_create(CAIRO_FORMAT_RGB24, 1, 1),
                        &cairo_surface_destroy};
  const Pen pen{surface.get()};
  return lay_out(chart, chart_width, [&](const std::string& text) { return pen.width_of(text); });
}

} // namespace

std::string draw_svg(const Chart& chart) {
  const auto layout = measured(chart);
  std::string bytes;
  const Surface surface{
    cairo_svg_surface_create_for_stream(collect_bytes, &bytes, layout.width, layout.height),
    &cairo_surface_destroy};
  cairo_svg_surface_set_document_unit(surface.get(), CAIRO_SVG_UNIT_PX);
  {
    const Pen pen{surface.get()};
    draw(pen, chart, layout);
    check_drawn(pen, surface);
  }
  cairo_surface_finish(surface.get());
  return bytes;
}

std::string draw_png(const Chart& chart, double scale) {
  const auto layout = measured(chart);
  const Surface surface{cairo_image_surface_create(CAIRO_FORMAT_RGB24,
                                                   static_cast<int>(layout.width * scale),
                                                   static_cast<int>(layout.height * scale)),
                        &cairo_surface_destroy};
  const Pen pen{surface.get()};
  cairo_scale(pen.cairo(), scale, scale);
  draw(pen, chart, layout);
  check_drawn(pen, surface);
  std::string bytes;
  cairo_surface_write_to_png_stream(surface.get(), collect_bytes, &bytes);
  return bytes;
}

} // namespace troupe
