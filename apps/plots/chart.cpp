#include "apps/plots/chart.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>

namespace troupe {

namespace {

constexpr double margin = 16;       // pixels around everything
constexpr double title_height = 34; // of the chart's title
constexpr double panel_title_height = 24;
constexpr double panel_height = 250; // of the area of the curves
constexpr double tick_height = 24;   // of the numbers below a panel
constexpr double label_height = 22;  // of the x axis's label
constexpr double panel_gap = 14;
constexpr double tick_gap = 8; // between a number and its axis
constexpr double entry_gap = 20;
constexpr int y_tick_count = 7;
constexpr int fewest_ticks = 3; // with fewer, the range may have none

/// With as many digits after the point as the step needs.
std::string tick_text(double value, double step) {
  const auto largest = std::max(std::abs(value), step);
  if (largest >= 1e7 || (value != 0 && step < 1e-5))
    return fmt::format("{:.6g}", value);
  return fmt::format("{:.{}f}", value,
                     std::max(0, static_cast<int>(std::ceil(-std::log10(step) - 1e-9))));
}

/// The step of 1, 2 or 5 times a power of ten nearest above `least`.
double round_step(double least) {
  const auto power = std::pow(10.0, std::floor(std::log10(least)));
  for (const auto factor : {1.0, 2.0, 5.0})
    if (factor * power >= least * (1 - 1e-9))
      return factor * power;
  return 10 * power;
}

Range widened(Range range, bool logarithmic) {
  if (logarithmic) {
    const auto ratio
      = range.high > range.low ? std::pow(range.high / range.low, 0.05) : std::sqrt(10.0);
    return {range.low / ratio, range.high * ratio};
  }
  if (range.high > range.low) {
    const auto more = 0.05 * (range.high - range.low);
    return {range.low - more, range.high + more};
  }
  const auto more = range.low == 0 ? 0.5 : std::abs(range.low) / 10;
  return {range.low - more, range.high + more};
}

/// Ticks of the x axis that leave room between their texts.
std::vector<Tick> x_ticks_of(const Range& range, double pixels, const TextWidth& text_width) {
  for (int count = 10; count >= fewest_ticks; --count) {
    auto ticks = round_ticks(range, count);
    double widest = 0;
    for (const auto& tick : ticks)
      widest = std::max(widest, text_width(tick.text));
    if (static_cast<double>(ticks.size()) * (widest + 14) <= pixels)
      return ticks;
  }
  return round_ticks(range, fewest_ticks);
}

/// Rows of legend entries from `x` to `right`, below `y`. @returns the lowest row's lower edge.
double lay_out_legend(const Panel& panel, double left, double right, double y,
                      const TextWidth& text_width, std::vector<LegendEntry>& legend) {
  auto x = left;
  y += legend_line / 2;
  const auto all = panel.curves.size();
  const auto named = all > most_entries ? most_entries : all;
  for (std::size_t i = 0; i < named + (named < all ? 1 : 0); ++i) {
    const auto more = i == named;
    const auto sample = more ? 0 : legend_sample + legend_gap;
    auto text = more ? "and " + std::to_string(all - named) + " more"
                     : shortened(panel.curves[i].label, right - left - sample, text_width);
    const auto width = sample + text_width(text);
    if (x > left && x + width > right) {
      x = left;
      y += legend_line;
    }
    legend.push_back({more ? all : i, std::move(text), x, y});
    x += width + entry_gap;
  }
  return y + legend_line / 2;
}

Range panel_range(const Panel& panel, bool logarithmic) {
  std::vector<const std::vector<double>*> values;
  for (const auto& curve : panel.curves) {
    values.push_back(&curve.y);
    values.push_back(&curve.raw);
  }
  return range_of(values, logarithmic);
}

} // namespace

CurveStyle style_of(std::size_t worker, std::size_t record, std::size_t workers,
                    std::size_t records) {
  const auto rounds = (workers + palette_size - 1) / palette_size; // cycles through all colours
  if (workers > 1 && records > 1 && records * rounds <= line_types)
    return {worker % palette_size, record + records * (worker / palette_size)};
  constexpr std::size_t of_one_type = 4; // consecutive curves, which differ in colour
  const auto number = worker * records + record;
  return {number % palette_size, number / of_one_type % line_types};
}

Range range_of(const std::vector<const std::vector<double>*>& values, bool logarithmic) {
  Range range{std::numeric_limits<double>::infinity(), -std::numeric_limits<double>::infinity()};
  for (const auto* list : values)
    for (auto value : *list)
      if (std::isfinite(value) && (!logarithmic || value > 0)) {
        range.low = std::min(range.low, value);
        range.high = std::max(range.high, value);
      }
  if (range.low > range.high)
    return logarithmic ? Range{0.1, 1} : Range{0, 1};
  return widened(range, logarithmic);
}

std::vector<Tick> round_ticks(Range range, int count) {
  const auto width = range.high - range.low;
  if (!(width > 0) || !std::isfinite(width))
    return {};
  const auto step = round_step(width / count);
  const auto first = std::ceil(range.low / step - 1e-9);
  const auto last = std::floor(range.high / step + 1e-9);
  std::vector<Tick> ticks;
  if (last - first > 2 * count || std::abs(last) > 1e15)
    return ticks; // the step is below the precision of the numbers
  for (auto i = first; i <= last; ++i) {
    const auto at = i == 0 ? 0 : i * step; // not -0
    ticks.push_back({at, tick_text(at, step)});
  }
  return ticks;
}

std::vector<Tick> log_ticks(Range range, int count) {
  const auto decades = std::log10(range.high) - std::log10(range.low);
  if (!(decades >= 1))
    return round_ticks(range, count);
  const auto each = std::max(1, static_cast<int>(std::ceil(decades / (2 * count))));
  const auto between = decades <= count / 2.0;
  std::vector<Tick> ticks;
  const auto first = static_cast<int>(std::floor(std::log10(range.low)));
  const auto last = static_cast<int>(std::floor(std::log10(range.high) + 1e-9));
  for (auto power = first; power <= last; ++power)
    for (const auto factor : {1, 2, 5}) {
      const auto at = factor * std::pow(10.0, power);
      if (at < range.low * (1 - 1e-9) || at > range.high * (1 + 1e-9) || (factor > 1 && !between)
          || (power % each) != 0)
        continue;
      ticks.push_back({at, fmt::format("{:g}", at)});
    }
  return ticks;
}

Axis::Axis(Range range, bool logarithmic, double from, double to)
  : logarithmic_(logarithmic),
    from_(from),
    to_(to) {
  low_ = scaled(range.low);
  high_ = scaled(range.high);
}

double Axis::scaled(double value) const { return logarithmic_ ? std::log10(value) : value; }

double Axis::place(double value) const {
  return from_ + (scaled(value) - low_) / (high_ - low_) * (to_ - from_);
}

std::string shortened(const std::string& text, double width, const TextWidth& text_width) {
  if (text_width(text) <= width)
    return text;
  const auto inside = [&](std::size_t at) { // within a character of several bytes
    return at < text.size() && (static_cast<unsigned char>(text[at]) & 0xC0) == 0x80;
  };
  for (auto kept = text.size(); kept > 1; --kept) {
    auto head = kept / 2, tail = text.size() - (kept - kept / 2);
    while (head > 0 && inside(head))
      --head;
    while (inside(tail))
      ++tail;
    auto result = text.substr(0, head) + "…" + text.substr(tail);
    if (text_width(result) <= width)
      return result;
  }
  return "…";
}

ChartLayout lay_out(const Chart& chart, double width, const TextWidth& text_width) {
  ChartLayout layout;
  layout.width = width;
  std::vector<const std::vector<double>*> xs;
  double number_width = 0;
  std::vector<Range> y_ranges;
  for (const auto& panel : chart.panels) {
    for (const auto& curve : panel.curves)
      xs.push_back(&curve.x);
    const auto range = y_ranges.emplace_back(panel_range(panel, chart.log_y));
    auto& ticks = layout.panels.emplace_back().y_ticks;
    ticks = chart.log_y ? log_ticks(range, y_tick_count) : round_ticks(range, y_tick_count);
    for (const auto& tick : ticks)
      number_width = std::max(number_width, text_width(tick.text));
  }
  const auto x_range = range_of(xs, false);
  const auto left = margin + number_width + tick_gap;
  const auto right = width - margin - 10; // half of the last number may extend beyond the axis
  const auto x_ticks = x_ticks_of(x_range, right - left, text_width);
  auto y = margin + title_height;
  for (std::size_t i = 0; i < chart.panels.size(); ++i) {
    auto& panel = layout.panels[i];
    panel.title_y = y + panel_title_height - 9;
    y = lay_out_legend(chart.panels[i], left, right, y + panel_title_height, text_width,
                       panel.legend);
    panel.left = left;
    panel.right = right;
    panel.top = y + 6;
    panel.bottom = panel.top + panel_height;
    panel.x = {x_range, false, left, right};
    panel.y = {y_ranges[i], chart.log_y, panel.bottom, panel.top};
    panel.x_ticks = x_ticks;
    y = panel.bottom + tick_height + panel_gap;
  }
  layout.height = y - panel_gap + label_height + margin / 2;
  return layout;
}

} // namespace troupe
