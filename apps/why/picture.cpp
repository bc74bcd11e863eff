#include "apps/why/picture.hpp"

#include "base/text/escaped_html.hpp"
#include "base/text/wrapped_text.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <sstream>

namespace troupe {

namespace {

constexpr std::size_t most_bars = 8;

/// How a kind of cost looks. The colors are Okabe and Ito's, and of the same hue for related costs.
struct Look {
  CostKind kind;
  const char* color;   ///< in an SVG
  int terminal;        ///< of the 256 colors
  const char* pattern; ///< where there are no colors
};

constexpr std::array<Look, 13> looks{{
  {CostKind::reading, "#0072b2", 25, "▓"},
  {CostKind::gradient, "#009e73", 36, "█"},
  {CostKind::update, "#66c9a7", 79, "▆"},
  {CostKind::between, "#9a9a9a", 246, "="},
  {CostKind::gate, "#e69f00", 214, "#"},
  {CostKind::checkpoint, "#b8860b", 136, "%"},
  {CostKind::evaluation, "#cc79a7", 175, "▒"},
  {CostKind::joining, "#c9c9c9", 251, "-"},
  {CostKind::holder, "#7a4fa0", 97, "@"},
  {CostKind::limit, "#a98bd0", 140, "&"},
  {CostKind::network, "#56b4e9", 75, "~"},
  {CostKind::waiting, "#d8d4c4", 187, "░"},
  {CostKind::held, "#e4e4e4", 254, "."}, // the last: also for a kind that has none
}};

const Look& look_of(CostKind kind) {
  return *std::find_if(looks.begin(), std::prev(looks.end()),
                       [&](const auto& look) { return look.kind == kind; });
}

/// Whether a cause removes a part of this cost.
bool bounds(const Cause& cause, const MeasuredWorker& worker, const Cost& cost) {
  return cost.kind != CostKind::waiting && cause.left(worker, cost) < 0.999 * cost.seconds
         && (!cause.worker || *cause.worker == worker.worker);
}

Bar bar_of(const MeasuredWorker& worker, const Cause& cause, bool critical) {
  Bar bar{"worker " + std::to_string(worker.worker), critical, {}};
  for (const auto& cost : worker.costs)
    bar.parts.push_back({cost, bounds(cause, worker, cost)});
  return bar;
}

/// What is left to the worker that takes longest then.
Bar bar_without(const WhyAnswer& answer, const Cause& cause) {
  Bar longest;
  for (const auto& worker : answer.run.workers) {
    Bar bar{"without it", false, {}};
    for (auto cost : worker.costs)
      if (cost.kind != CostKind::waiting) {
        cost.seconds = cause.left(worker, cost);
        bar.parts.push_back({cost, false});
      }
    if (bar.seconds() > longest.seconds() || longest.name.empty())
      longest = bar;
  }
  const auto whole = longest.seconds();
  for (auto& part : longest.parts)
    part.cost.seconds *= whole > 0 ? cause.without / whole : 0;
  return longest;
}

/// Seconds between two marks of an axis: 1, 2 or 5 times a power of ten.
double mark_distance(double seconds) {
  const auto power = std::pow(10, std::floor(std::log10(std::max(seconds, 1e-9) / 3)));
  for (const auto times : {5, 2})
    if (seconds / (times * power) >= 3)
      return times * power;
  return power;
}

double longest_of(const std::vector<Bar>& bars) {
  auto longest = 0.0;
  for (const auto& bar : bars)
    longest = std::max(longest, bar.seconds());
  return longest;
}

struct LegendPart {
  Cost cost;
  double share = 0; ///< of the first bar, which is that of the critical path
  bool bounds = false;
};

/// What the bars show, the largest share first.
std::vector<LegendPart> legend_of(const std::vector<Bar>& bars) {
  std::vector<LegendPart> legend;
  for (const auto& bar : bars)
    for (const auto& part : bar.parts) {
      const auto same = [&](const auto& one) {
        return one.cost.is_same(part.cost) && name_of(one.cost) == name_of(part.cost);
      };
      auto found = std::find_if(legend.begin(), legend.end(), same);
      if (found == legend.end())
        found = legend.insert(found, {part.cost, 0, false});
      found->bounds = found->bounds || part.bounds;
      if (&bar == &bars.front() && bar.seconds() > 0)
        found->share += part.cost.seconds / bar.seconds();
    }
  std::stable_sort(legend.begin(), legend.end(),
                   [](const auto& a, const auto& b) { return a.share > b.share; });
  const auto least = 0.01 * longest_of(bars); // less cannot be seen
  std::erase_if(legend, [&](const auto& one) {
    return std::none_of(bars.begin(), bars.end(), [&](const auto& bar) {
      return std::any_of(bar.parts.begin(), bar.parts.end(), [&](const auto& part) {
        return name_of(part.cost) == name_of(one.cost) && part.cost.seconds >= least;
      });
    });
  });
  return legend;
}

std::string painted(CostKind kind, const std::string& cells, bool color) {
  return color ? fmt::format("\x1b[38;5;{}m{}\x1b[0m", look_of(kind).terminal, cells) : cells;
}

std::string cells_of(CostKind kind, std::size_t count, bool color) {
  std::string cells;
  for (std::size_t i = 0; i < count; ++i)
    cells += color ? "█" : look_of(kind).pattern;
  return painted(kind, cells, color);
}

/// Each entry at the same distance from the one before, in lines of so many columns.
std::string text_legend(const std::vector<LegendPart>& legend, std::size_t columns, bool color) {
  std::string text;
  std::size_t column = 0;
  for (const auto& [cost, share, bounds] : legend) {
    const auto label = " " + name_of(cost)
                       + (share >= 0.005 ? fmt::format(" {:.0f} %", 100 * share) : "")
                       + (bounds ? " <-" : "");
    const auto width = 2 + columns_of(label);
    if (column > 0 && column + 3 + width > columns) {
      text += "\n";
      column = 0;
    }
    text += (column > 0 ? "   " : "  ") + cells_of(cost.kind, 2, color) + label;
    column += width + 3;
  }
  return text + "\n";
}

// -- the SVG -----------------------------------------------------------------------------------

constexpr double picture_width = 860, left_edge = 120, bar_width = 700, bar_height = 30,
                 row_height = 46;

std::string svg_text(double x, double y, const std::string& kind, const std::string& text) {
  return fmt::format("<text x=\"{:.1f}\" y=\"{:.1f}\" class=\"{}\">{}</text>\n", x, y, kind,
                     escaped_html(text));
}

std::string svg_bar(const Bar& bar, double y, double longest) {
  std::string text
    = svg_text(left_edge - 14, y + 20, bar.critical ? "name critical" : "name", bar.name);
  auto x = left_edge;
  for (const auto& part : bar.parts) {
    const auto width = longest > 0 ? bar_width * part.cost.seconds / longest : 0;
    if (width < 0.2)
      continue;
    text += fmt::format("<rect x=\"{:.2f}\" y=\"{:.1f}\" width=\"{:.2f}\" height=\"{}\" "
                        "fill=\"{}\"{}><title>{}: {}</title></rect>\n",
                        x, y, std::max(0.3, width - 1), bar_height, look_of(part.cost.kind).color,
                        part.bounds ? " class=\"bounds\"" : "", escaped_html(name_of(part.cost)),
                        shown_seconds(part.cost.seconds));
    x += width;
  }
  return text + svg_text(x + 8, y + 20, "length", shown_seconds(bar.seconds()));
}

std::string svg_axis(double y, double bottom, double longest) {
  std::string text;
  const auto distance = mark_distance(longest);
  for (auto at = 0.0; at <= longest * 1.0001; at += distance) {
    const auto x = left_edge + (longest > 0 ? bar_width * at / longest : 0);
    text += fmt::format("<line x1=\"{0:.1f}\" y1=\"{1:.1f}\" x2=\"{0:.1f}\" y2=\"{2:.1f}\"/>\n", x,
                        y, bottom);
    text += svg_text(x, bottom + 16, "mark", fmt::format("{:g} s", std::round(at * 1e9) / 1e9));
  }
  return text;
}

std::string svg_legend(const std::vector<LegendPart>& legend, double y, double& bottom) {
  std::string text;
  auto x = left_edge;
  bottom = y;
  for (const auto& [cost, share, bounds] : legend) {
    const auto label
      = name_of(cost) + (share >= 0.005 ? fmt::format(" {:.0f} %", 100 * share) : "");
    const auto width = 38 + (bounds ? 8.2 : 7.2) * static_cast<double>(columns_of(label));
    if (x + width > left_edge + bar_width && x > left_edge) {
      x = left_edge;
      bottom += 24;
    }
    text += fmt::format("<rect x=\"{:.1f}\" y=\"{:.1f}\" width=\"14\" height=\"14\" rx=\"3\" "
                        "fill=\"{}\"/>\n",
                        x, bottom, look_of(cost.kind).color);
    text += svg_text(x + 20, bottom + 12, bounds ? "legend bold" : "legend", label);
    x += width;
  }
  bottom += 24;
  return text;
}

constexpr const char* svg_style = R"(<style>
svg { background: #ffffff; font-family: system-ui, -apple-system, "Segoe UI", "DejaVu Sans", sans-serif; }
text { fill: #222222; font-size: 13px; }
.headline { font-size: 17px; font-weight: 600; }
.sentence { fill: #555555; }
.name { text-anchor: end; } .critical, .bold { font-weight: 700; }
.length { fill: #555555; } .mark { fill: #666666; font-size: 11px; text-anchor: middle; }
line { stroke: #e6e6e6; } .bounds { stroke: #222222; stroke-width: 2; }
@media (prefers-color-scheme: dark) {
svg { background: #16181c; } text { fill: #e8e8e8; } .sentence, .length { fill: #b4b4b4; }
.mark { fill: #a0a0a0; } line { stroke: #31343a; } .bounds { stroke: #ffffff; } }
</style>
)";

} // namespace

double Bar::seconds() const {
  auto sum = 0.0;
  for (const auto& part : parts)
    sum += part.cost.seconds;
  return sum;
}

std::vector<Bar> bars_of(const WhyAnswer& answer) {
  auto workers = answer.run.workers;
  const auto critical = answer.path.worker;
  std::stable_sort(workers.begin(), workers.end(), [&](const auto& a, const auto& b) {
    return std::pair{a.worker != critical, -a.own()} < std::pair{b.worker != critical, -b.own()};
  });
  const auto& cause = answer.causes.front();
  std::vector<Bar> bars;
  for (const auto& worker : workers)
    if (bars.size() < most_bars)
      bars.push_back(bar_of(worker, cause, worker.worker == critical));
  bars.push_back(bar_without(answer, cause));
  return bars;
}

nlohmann::ordered_json json_of(const std::vector<Bar>& bars) {
  auto json = nlohmann::ordered_json::array();
  for (const auto& bar : bars) {
    auto parts = nlohmann::ordered_json::array();
    for (const auto& part : bar.parts)
      parts.push_back(
        {{"cost", name_of(part.cost)}, {"seconds", part.cost.seconds}, {"bounds", part.bounds}});
    json.push_back({{"name", bar.name},
                    {"critical", bar.critical},
                    {"seconds", bar.seconds()},
                    {"parts", std::move(parts)}});
  }
  return json;
}

std::string drawn_in_text(const std::vector<Bar>& bars, std::size_t columns, bool color) {
  constexpr std::size_t names = 14, lengths = 10;
  const auto width = std::clamp<std::size_t>(columns, 40, 120) - names - lengths;
  const auto longest = longest_of(bars);
  std::string text;
  for (const auto& bar : bars) {
    text += fmt::format("{:<{}}", (bar.critical ? "* " : "  ") + bar.name, names);
    auto seconds = 0.0;
    std::size_t drawn = 0;
    for (const auto& part : bar.parts) {
      seconds += part.cost.seconds;
      const auto until = static_cast<std::size_t>(
        std::lround(longest > 0 ? static_cast<double>(width) * seconds / longest : 0));
      text += cells_of(part.cost.kind, until - drawn, color);
      drawn = until;
    }
    text += " " + shown_seconds(bar.seconds()) + "\n";
  }
  return text + "\n" + text_legend(legend_of(bars), columns, color);
}

std::string drawn_as_svg(const std::vector<Bar>& bars, const std::vector<std::string>& sentences) {
  std::string body;
  auto y = 38.0;
  const auto add = [&](const std::string& sentence, bool headline) {
    std::istringstream lines{wrapped(sentence, "", headline ? 84 : 116)};
    for (std::string line; std::getline(lines, line); y += headline ? 26 : 20)
      body += svg_text(24, y, headline ? "headline" : "sentence", line);
  };
  constexpr std::size_t bound = 1; // the sentence that says what bounds the run
  add(sentences.at(bound), true);
  for (std::size_t i = 0; i < sentences.size(); ++i)
    if (i != bound)
      add(sentences[i], false);
  const auto longest = longest_of(bars), top = y + 6;
  const auto bottom = top + row_height * static_cast<double>(bars.size());
  body += svg_axis(top, bottom, longest);
  for (std::size_t i = 0; i < bars.size(); ++i)
    body += svg_bar(bars[i], top + 8 + row_height * static_cast<double>(i), longest);
  auto end = 0.0;
  body += svg_legend(legend_of(bars), bottom + 34, end);
  return fmt::format("<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"{0}\" height=\"{1:.0f}\" "
                     "viewBox=\"0 0 {0} {1:.0f}\" role=\"img\">\n",
                     picture_width + 40, end + 16)
         + svg_style + body + "</svg>\n";
}

} // namespace troupe
