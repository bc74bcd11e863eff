#include "apps/grid/report_parallel.hpp"

#include "apps/grid/report_svg.hpp"
#include "apps/plots/chart.hpp"

#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <optional>

namespace troupe {

namespace {

constexpr double upright_gap = 190; // pixels between two axes
constexpr double upright_left = 90, upright_top = 44, upright_bottom = 300;
constexpr std::size_t most_marks = 8; // more numbers get round ticks instead

/// A vertical axis: its marks, and the position of each value.
struct Upright {
  std::string title;
  Axis axis;
  std::vector<Tick> marks;
  std::map<std::string, double> order; ///< position of each word; empty for numbers

  double place(const std::string& value) const {
    return axis.place(order.empty() ? std::strtod(value.c_str(), nullptr) : order.at(value));
  }
};

std::optional<double> parsed_number(const std::string& text) {
  char* end = nullptr;
  const auto number = std::strtod(text.c_str(), &end);
  if (text.empty() || end != text.c_str() + text.size() || !std::isfinite(number))
    return std::nullopt;
  return number;
}

bool many_times_apart(const std::vector<double>& numbers, double factor) {
  const auto [least, most] = std::minmax_element(numbers.begin(), numbers.end());
  return *least > 0 && *most >= factor * *least;
}

Upright of_numbers(std::vector<double> numbers, double from, double to) {
  Upright upright;
  const auto logarithmic = many_times_apart(numbers, 50);
  const auto range = range_of({&numbers}, logarithmic);
  upright.axis = {range, logarithmic, from, to};
  std::sort(numbers.begin(), numbers.end());
  numbers.erase(std::unique(numbers.begin(), numbers.end()), numbers.end());
  if (numbers.size() > most_marks)
    upright.marks = logarithmic ? log_ticks(range, 5) : round_ticks(range, 5);
  else
    for (const auto number : numbers)
      upright.marks.push_back({number, report_number(number)});
  return upright;
}

Upright of_words(const std::vector<std::string>& words) {
  Upright upright;
  for (const auto& word : words)
    if (const auto at = static_cast<double>(upright.order.size());
        upright.order.emplace(word, at).second)
      upright.marks.push_back({at, shortened(word, upright_gap - 50, svg_text_width)});
  const Range range{-0.5, static_cast<double>(upright.order.size()) - 0.5};
  upright.axis = {range, false, upright_bottom, upright_top};
  return upright;
}

Upright of_dimension(const GridReport& report, std::size_t dimension) {
  auto configurations = report.configurations;
  std::sort(configurations.begin(), configurations.end(),
            [](const auto& a, const auto& b) { return a.trial < b.trial; });
  std::vector<std::string> words;
  std::vector<double> numbers;
  for (const auto& configuration : configurations) {
    words.push_back(configuration.values[dimension]);
    if (const auto number = parsed_number(words.back()))
      numbers.push_back(*number);
  }
  auto upright = numbers.size() == words.size() ? of_numbers(numbers, upright_bottom, upright_top)
                                                : of_words(words);
  upright.title = report.dimensions[dimension];
  return upright;
}

std::string drawn(const Upright& upright, double x) {
  auto svg = svg_line(x, upright_top, x, upright_bottom, "axis")
             + svg_text(x, upright_top - 22, "middle",
                        shortened(upright.title, upright_gap, svg_text_width));
  for (const auto& mark : upright.marks) {
    const auto y = upright.axis.place(mark.at);
    svg += svg_line(x - 5, y, x, y, "axis") + svg_text(x - 9, y + 4, "end", mark.text);
  }
  return svg;
}

bool has_score(const RunResults& run) { return run.outcome == "done" && std::isfinite(run.score); }

/// The points at which the line of a run meets the axes; the last axis is the score.
PlacesInSvg places_across(const ReportConfiguration& configuration, const RunResults& run,
                          const std::vector<Upright>& uprights) {
  PlacesInSvg places;
  for (std::size_t u = 0; u < uprights.size(); ++u)
    places.emplace_back(upright_left + upright_gap * static_cast<double>(u),
                        u + 1 < uprights.size() ? uprights[u].place(configuration.values[u])
                                                : uprights[u].axis.place(run.score));
  return places;
}

} // namespace

std::string parallel_svg(const GridReport& report) {
  std::vector<double> scores;
  for (const auto& run : report.runs)
    if (has_score(run))
      scores.push_back(run.score);
  if (scores.empty() || report.dimensions.empty())
    return {};
  std::vector<Upright> uprights;
  for (std::size_t i = 0; i < report.dimensions.size(); ++i)
    uprights.push_back(of_dimension(report, i));
  const auto best_on_top = report.choose == Choose::max;
  auto score = of_numbers(scores, best_on_top ? upright_bottom : upright_top,
                          best_on_top ? upright_top : upright_bottom);
  score.title = report.by;
  uprights.push_back(std::move(score));
  std::string lines;
  for (auto rank = report.configurations.size(); rank-- > 0;) {
    const auto& configuration = report.configurations[rank];
    for (const auto i : configuration.runs) {
      const auto& run = report.runs[i];
      if (has_score(run))
        lines += "<polyline class=\"across " + rank_style(rank) + "\" points=\""
                 + svg_points(places_across(configuration, run, uprights)) + "\"><title>"
                 + escaped_html(label_of(report, configuration) + ": " + report_number(run.score))
                 + "</title></polyline>\n";
    }
  }
  std::string axes;
  for (std::size_t u = 0; u < uprights.size(); ++u)
    axes += drawn(uprights[u], upright_left + upright_gap * static_cast<double>(u));
  const auto width = 2 * upright_left + upright_gap * static_cast<double>(report.dimensions.size());
  return "<svg xmlns=\"http://www.w3.org/2000/svg\" style=\"max-width:"
         + std::to_string(static_cast<int>(width)) + "px\" viewBox=\"0 0 "
         + std::to_string(static_cast<int>(width))
         + " 316\" role=\"img\" aria-label=\"parallel coordinates\">\n" + lines + axes + "</svg>\n";
}

} // namespace troupe
