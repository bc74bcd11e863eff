#include "apps/grid/report_json.hpp"

#include "apps/dashboard/page/saved_page.hpp"
#include "apps/grid/statistics.hpp"
#include "apps/plots/decimation.hpp"

#include <algorithm>
#include <cmath>
#include <filesystem>

namespace troupe {

namespace {

/// Curves of more points are thinned: a report with thousands of runs stays a file that opens.
constexpr std::size_t most_curve_points = 400;

nlohmann::json finite_or_null(double x) {
  return std::isfinite(x) ? nlohmann::json(x) : nlohmann::json();
}

nlohmann::json curve_json(const std::vector<CurvePoint>& points) {
  CurveData whole;
  for (const auto& point : points) {
    whole.x.push_back(point.epochs);
    whole.y.push_back(point.value);
  }
  const auto kept = decimated(whole, most_curve_points);
  auto curve = nlohmann::json::array();
  for (std::size_t i = 0; i < kept.x.size(); ++i)
    curve.push_back({kept.x[i], finite_or_null(kept.y[i])});
  return curve;
}

/// The last numbers of a run under their names in the table; tests as means.
nlohmann::json numbers_json(const RunResults& run) {
  auto numbers = run.training;
  numbers.insert(run.validation.begin(), run.validation.end());
  std::map<std::string, std::vector<double>> tests;
  for (const auto& test : run.tests)
    for (const auto& [name, value] : test.metrics)
      tests["test_" + name].push_back(value);
  for (const auto& [name, values] : tests)
    numbers[name] = spread_of_runs(values).mean;
  auto json = nlohmann::json::object();
  for (const auto& [name, value] : numbers)
    json[name] = finite_or_null(value);
  return json;
}

/// The last rung, from 0, that a run has trained to; 0 without halving.
std::size_t rung_reached(const GridReport& report, const RunResults& run) {
  const auto epochs = run.scores.empty() ? 0 : run.scores.back().epochs;
  const auto beyond = std::upper_bound(report.rungs.begin(), report.rungs.end(), epochs,
                                       [](double x, Epoch rung) { return x < double(rung); });
  return beyond == report.rungs.begin() ? 0 : std::size_t(beyond - report.rungs.begin() - 1);
}

nlohmann::json run_json(const GridReport& report, const RunResults& run) {
  auto json = nlohmann::json{{"run", run.run},
                             {"name", std::filesystem::path{run.folder}.filename().string()},
                             {"id", nullptr},
                             {"repetition", run.repetition},
                             {"outcome", run.outcome},
                             {"reason", run.reason},
                             {"score", finite_or_null(run.score)},
                             {"rung", rung_reached(report, run)},
                             {"problem", run.problem},
                             {"model", run.model},
                             {"seed", run.seed},
                             {"command", repeating_command(run)},
                             {"scores", curve_json(run.scores)},
                             {"numbers", numbers_json(run)},
                             {"statistics", nlohmann::json::object()}};
  for (const auto& [name, points] : run.statistics)
    json["statistics"][name] = curve_json(points);
  return json;
}

nlohmann::json trial_json(const GridReport& report, const ReportConfiguration& configuration,
                          std::size_t rank) {
  auto runs = nlohmann::json::array();
  std::size_t rung = 0;
  for (const auto i : configuration.runs) {
    runs.push_back(run_json(report, report.runs[i]));
    rung = std::max(rung, rung_reached(report, report.runs[i]));
  }
  return {{"trial", configuration.trial},
          {"task", configuration.runs.empty() ? 0 : report.runs[configuration.runs.front()].task},
          {"values", configuration.values},
          {"rank", std::isnan(configuration.mean) ? nlohmann::json() : nlohmann::json(rank)},
          {"mean", finite_or_null(configuration.mean)},
          {"deviation", finite_or_null(configuration.deviation)},
          {"rung", rung},
          {"runs", std::move(runs)}};
}

} // namespace

nlohmann::json report_json(const GridReport& report) {
  const auto count = [&](auto... outcomes) {
    return std::count_if(report.runs.begin(), report.runs.end(),
                         [&](const auto& run) { return ((run.outcome == outcomes) || ...); });
  };
  const auto failed = count("failed", "refused"), done = count("done");
  auto trials = nlohmann::json::array();
  for (std::size_t i = 0; i < report.configurations.size(); ++i)
    trials.push_back(trial_json(report, report.configurations[i], i + 1));
  return {{"name", report.name},
          {"state", done + failed == std::ptrdiff_t(report.runs.size()) ? "done" : "stopped"},
          {"runs", report.runs.size()},
          {"done", done},
          {"failed", failed},
          {"training", 0},
          {"by", report.by},
          {"better", report.choose == Choose::min ? "min" : "max"},
          {"axes", report.dimensions},
          {"rungs", report.rungs},
          {"unit", report.unit},
          {"trials", std::move(trials)}};
}

std::string report_page(const GridReport& report) {
  // Names of files need not be UTF-8.
  const auto data
    = report_json(report).dump(-1, ' ', false, nlohmann::json::error_handler_t::replace);
  return saved_page("Grid " + report.name, data);
}

} // namespace troupe
