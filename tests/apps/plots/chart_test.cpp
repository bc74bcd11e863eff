#include "apps/plots/chart.hpp"
#include "apps/plots/chart_drawing.hpp"

#include <catch2/catch.hpp>

#include <cmath>
#include <limits>
#include <random>
#include <regex>

using namespace troupe;

namespace {

std::string tick_texts(const std::vector<Tick>& ticks) {
  std::string text;
  for (const auto& tick : ticks)
    text += tick.text + " ";
  return text;
}

double seven_each(const std::string& text) { return 7.0 * static_cast<double>(text.size()); }

Curve line_of(const std::string& label, std::vector<double> y) {
  Curve curve;
  curve.label = label;
  for (std::size_t i = 0; i < y.size(); ++i)
    curve.x.push_back(static_cast<double>(i));
  curve.y = std::move(y);
  return curve;
}

} // namespace

TEST_CASE("a legend names ten curves, and the number of others", "[plot]") {
  Curve curve;
  curve.label = "worker";
  curve.x = curve.y = {1, 2};
  Chart chart;
  chart.panels.push_back({"loss", std::vector<Curve>(14, curve)});
  const auto legend = [&chart] {
    return lay_out(chart, 800, [](const std::string& text) { return 7.0 * double(text.size()); })
      .panels.at(0)
      .legend;
  };
  REQUIRE(legend().size() == 11);
  CHECK(legend().back().text == "and 4 more");
  chart.panels[0].curves.resize(10);
  CHECK(legend().size() == 10);
}

TEST_CASE("ticks are at round numbers", "[chart]") {
  CHECK(tick_texts(round_ticks({0, 10}, 5)) == "0 2 4 6 8 10 ");
  CHECK(tick_texts(round_ticks({-0.02, 0.31}, 4)) == "0.0 0.1 0.2 0.3 ");
  CHECK(tick_texts(round_ticks({0.9712, 0.9838}, 4)) == "0.975 0.980 ");
  CHECK(tick_texts(round_ticks({-1, 1}, 4)) == "-1.0 -0.5 0.0 0.5 1.0 ");
  CHECK(tick_texts(round_ticks({0, 31300}, 4)) == "0 10000 20000 30000 ");
  CHECK(tick_texts(round_ticks({0, 3e7}, 3)) == "0 1e+07 2e+07 3e+07 ");
  CHECK(round_ticks({1, 1}, 5).empty());
  CHECK(round_ticks({0, INFINITY}, 5).empty());
  CHECK(round_ticks({1e20, 1e20 + 1e5}, 5).empty());
}

TEST_CASE("ticks are within any range, in order, and about as many as requested", "[chart]") {
  std::mt19937 random{5};
  std::uniform_real_distribution<double> power{-8, 8}, sign{-1, 1};
  for (int round = 0; round < 2000; ++round) {
    const auto width = std::pow(10.0, power(random));
    const auto low = sign(random) * width * 20;
    const Range range{low, low + width};
    const int count = 3 + static_cast<int>(random() % 9);
    const auto ticks = round_ticks(range, count);
    INFO(low << " " << width << " " << count);
    REQUIRE(!ticks.empty());
    CHECK(ticks.size() <= static_cast<std::size_t>(2 * count));
    for (std::size_t i = 0; i < ticks.size(); ++i) {
      CHECK(ticks[i].at >= range.low - 1e-6 * width);
      CHECK(ticks[i].at <= range.high + 1e-6 * width);
      if (i > 0 && width > 1e-4 * std::abs(low))
        CHECK(ticks[i].text != ticks[i - 1].text);
    }
  }
}

TEST_CASE("a logarithmic axis has powers of ten, with 2 and 5 between where they are few",
          "[chart]") {
  CHECK(tick_texts(log_ticks({0.01, 1}, 5)) == "0.01 0.02 0.05 0.1 0.2 0.5 1 ");
  CHECK(tick_texts(log_ticks({1e-4, 10}, 5)) == "0.0001 0.001 0.01 0.1 1 10 ");
  CHECK(tick_texts(log_ticks({0.2, 0.9}, 5)) == "0.2 0.4 0.6 0.8 ");
  CHECK(log_ticks({1e-300, 1e300}, 5).size() <= 20);
}

TEST_CASE("the range covers the finite values", "[chart]") {
  const std::vector<double> values{3, NAN, -1, INFINITY}, none{NAN, -INFINITY}, same{2, 2};
  CHECK(range_of({&values}, false).low == Approx(-1.2));
  CHECK(range_of({&values}, false).high == Approx(3.2));
  CHECK(range_of({&values}, true).low > 0);
  CHECK(range_of({&none}, false).high == 1);
  CHECK(range_of({&same}, false).low < 2);
  CHECK(range_of({&same}, true).high > 2);
  CHECK(range_of({}, true).low > 0);
}

TEST_CASE("an axis maps its ends and the values between", "[chart]") {
  const Axis linear{{0, 10}, false, 100, 300};
  CHECK(linear.place(0) == 100);
  CHECK(linear.place(5) == 200);
  const Axis upwards{{0.01, 1}, true, 300, 100};
  CHECK(upwards.place(0.1) == Approx(200));
}

TEST_CASE("a text that is too wide is shortened in its middle, between characters", "[chart]") {
  CHECK(shortened("abc", 21, seven_each) == "abc");
  const auto result = shortened("a long name of a run", 70, seven_each);
  CHECK(seven_each(result) <= 70);
  CHECK(result.starts_with("a l"));
  CHECK(result.ends_with("run"));
  for (double width = 0; width < 200; width += 7) {
    const auto letters = shortened("äöüäöüäöüäöü", width, seven_each);
    for (std::size_t i = 0; i + 1 < letters.size(); ++i)
      if (static_cast<unsigned char>(letters[i]) == 0xC3)
        CHECK((static_cast<unsigned char>(letters[i + 1]) & 0xC0) == 0x80);
  }
}

TEST_CASE("the parts of a chart do not overlap and stay inside the picture", "[chart][L27]") {
  std::mt19937 random{9};
  for (int round = 0; round < 100; ++round) {
    Chart chart;
    const auto panels = 1 + random() % 3;
    for (std::size_t p = 0; p < panels; ++p) {
      Panel panel{"loss", {}};
      for (std::size_t c = 0; c < 1 + random() % 12; ++c)
        panel.curves.push_back(
          line_of(std::string(1 + random() % 150, 'x'), {1, 2 * (1.0 + double(random() % 1000))}));
      chart.panels.push_back(panel);
    }
    const auto layout = lay_out(chart, 860, seven_each);
    double above = 0;
    for (const auto& panel : layout.panels) {
      CHECK(panel.title_y > above);
      auto y = panel.title_y, right = 0.0;
      for (const auto& entry : panel.legend) {
        CHECK(entry.y >= y);
        if (entry.y == y)
          CHECK(entry.x > right);
        y = entry.y;
        right = entry.x + legend_sample + legend_gap + seven_each(entry.text);
        CHECK(right <= panel.right + 1e-9);
      }
      CHECK(panel.top > y);
      above = panel.bottom;
      for (std::size_t i = 1; i < panel.x_ticks.size(); ++i)
        CHECK(panel.x.place(panel.x_ticks[i].at) - panel.x.place(panel.x_ticks[i - 1].at)
              > (seven_each(panel.x_ticks[i].text) + seven_each(panel.x_ticks[i - 1].text)) / 2);
      for (std::size_t i = 1; i < panel.y_ticks.size(); ++i)
        CHECK(panel.y.place(panel.y_ticks[i - 1].at) - panel.y.place(panel.y_ticks[i].at) > 12);
      for (const auto& tick : panel.y_ticks)
        CHECK(panel.left - seven_each(tick.text) >= 8);
    }
    CHECK(layout.height > above + 40);
  }
}

TEST_CASE("a curve of many points is drawn with its extremes and few others", "[chart]") {
  std::vector<double> values(200000, 1);
  values[77777] = 100;
  Chart chart;
  chart.panels.push_back({"loss", {line_of("", values)}});
  const auto all = draw_svg(chart);
  CHECK(all.size() < 200000);
  chart.panels[0].curves[0].y[77777] = 1;
  CHECK(draw_svg(chart).size() != all.size());
}

TEST_CASE("a chart is drawn to the same SVG and PNG each time, with any labels", "[chart][L27]") {
  Chart chart;
  chart.title = "a\xff & <b> \xe2\x80";
  chart.x_label = "batches";
  chart.log_y = true;
  chart.panels.push_back({"loss",
                          {line_of("\xed\xa0\x80", {1, NAN, 0.1, -1, 0, INFINITY, 2}),
                           line_of("one point", {0.3}), line_of("", {})}});
  chart.panels[0].curves[0].raw = {1, 2, 3};
  const auto drawn
    = [&] { return std::regex_replace(draw_svg(chart), std::regex{"surface[0-9]+"}, "surface"); };
  const auto svg = drawn();
  CHECK(svg.starts_with("<?xml"));
  CHECK(svg.find("</svg>") != std::string::npos);
  CHECK(svg.find("nan") == std::string::npos);
  CHECK((svg == drawn()));
  const auto png = draw_png(chart);
  CHECK(png.starts_with("\x89PNG"));
  CHECK((png == draw_png(chart)));
  CHECK(draw_svg({}).starts_with("<?xml"));
}
