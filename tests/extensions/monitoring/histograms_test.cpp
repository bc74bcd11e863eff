#include "extensions/monitoring/histograms.hpp"
#include "tests/support/extension_stage.hpp"

#include <cmath>
#include <numeric>
#include <random>
#include <sstream>

using namespace troupe;
using namespace troupe::test;
using Catch::Contains;

namespace {

Layout binned_parameters() {
  Layout layout;
  layout.add("weight", {2, 2});
  layout.add("bias", {1});
  return layout;
}

LoopEvent binned_floats(const std::vector<float>& parameters,
                        const std::vector<float>& gradient = {}) {
  LoopEvent event;
  event.started = true;
  event.learning_rate = 0.5;
  event.parameters.values = Block::copy_of(parameters);
  if (!gradient.empty())
    event.gradient = Block::copy_of(gradient);
  return event;
}

/// The counts of a histogram's text.
std::vector<std::uint64_t> counts_in(const std::string& text) {
  std::istringstream stream{text};
  std::string end;
  stream >> end >> end;
  std::vector<std::uint64_t> counts;
  for (std::uint64_t count = 0; stream >> count;)
    counts.push_back(count);
  return counts;
}

} // namespace

TEST_CASE("a linear histogram counts between the smallest and the largest element",
          "[histograms]") {
  const std::vector<float> values{0, 1, 2, 2.5f, 4, -1, 3};
  CHECK(histogram(values, {.bins = 5}) == "-1 4 1 1 1 2 2");
  CHECK(histogram(values, {.bins = 1}) == "-1 4 7");
}

TEST_CASE("a logarithmic histogram counts magnitudes between fixed ends", "[histograms]") {
  const std::vector<float> values{0, 1e-9f, -0.02f, 0.2f, -2, 20, 2000};
  CHECK(histogram(values,
                  {.bins = 4, .scale = HistogramScale::logarithmic, .least = 0.01, .greatest = 100})
        == "0.01 100 3 1 1 2");
}

TEST_CASE("equal elements are in the first bin, and without elements all bins are empty",
          "[histograms]") {
  CHECK(histogram(std::vector<float>{2, 2, 2}, {.bins = 3}) == "2 2 3 0 0");
  CHECK(histogram({}, {.bins = 2}) == "nan nan 0 0");
}

TEST_CASE("elements that are not finite are in no bin", "[histograms]") {
  const auto inf = std::numeric_limits<float>::infinity();
  CHECK(histogram(std::vector<float>{1, inf, 3, std::nanf(""), -inf}, {.bins = 2}) == "1 3 1 1");
  CHECK(histogram(std::vector<float>{inf}, {.bins = 2}) == "nan nan 0 0");
}

TEST_CASE("every finite element is in exactly one bin", "[histograms]") {
  std::mt19937 random{3};
  std::cauchy_distribution<float> number;
  for (std::uint32_t bins : {1u, 2u, 7u, 20u, 1000u})
    for (const auto scale : {HistogramScale::linear, HistogramScale::logarithmic}) {
      std::vector<float> values(500);
      for (auto& x : values)
        x = number(random);
      const auto counts = counts_in(histogram(values, {.bins = bins, .scale = scale}));
      CHECK(counts.size() == bins);
      CHECK(std::accumulate(counts.begin(), counts.end(), std::uint64_t{0}) == values.size());
    }
}

TEST_CASE("each parameter has a histogram, and on request its gradient too", "[histograms]") {
  const auto event = binned_floats({1, 2, 3, 4, 7}, {0, 0, 0, 1, 5});
  CHECK(histograms({.bins = 2}, binned_parameters(), event)
        == Records{{"_hist_weight", Value{"1 4 2 2"}}, {"_hist_bias", Value{"7 7 1 0"}}});
  const auto more
    = histograms({.bins = 2, .gradients = true, .prefix = ""}, binned_parameters(), event);
  CHECK(text_in(more, "gradient_weight") == "0 1 3 1");
  CHECK(text_in(more, "bias") == "7 7 1 0");
}

TEST_CASE("training writes histograms", "[histograms]") {
  Stage stage{{.step_duration = 0}};
  Layout layout;
  layout.add("w", {1});
  stage.observe(
    "histograms", trigger("every_n_batches", Value{std::int64_t{1}}),
    stage.world.keep(spawn_histograms(stage.world.system, {.bins = 3}, layout, stage.logger)),
    Shows::gradients);
  stage.finish_after(1);
  stage.run();
  CHECK(counts_in(text_in(stage.row(1), "_hist_w")) == std::vector<std::uint64_t>{1, 0, 0});
}

TEST_CASE("invalid options of histograms are refused", "[histograms]") {
  Stage stage;
  const auto refuse = [&](const HistogramsOptions& options, const std::string& what) {
    CHECK_THROWS_WITH(spawn_histograms(stage.world.system, options, {}, stage.logger),
                      Contains(what));
    CHECK_THROWS_WITH(histogram(std::vector<float>{1}, options), Contains(what));
  };
  refuse({.bins = 0}, "bins");
  refuse({.bins = 1001}, "bins");
  refuse({.least = 0}, "least");
  refuse({.least = 5, .greatest = 5}, "ascend");
  refuse({.greatest = std::nan("")}, "ascend");
}
