#include "apps/grid/report_page.hpp"

#include "apps/grid/report_curves.hpp"
#include "apps/grid/report_parallel.hpp"
#include "apps/grid/report_style.hpp"
#include "apps/grid/report_svg.hpp"
#include "apps/grid/statistics.hpp"
#include "base/text/text.hpp"

#include <cmath>
#include <set>

namespace troupe {

namespace {

std::string element(const std::string& tag, const std::string& text) {
  return "<" + tag + ">" + escaped_html(text) + "</" + tag + ">";
}

std::string number_in_cell(double x) {
  if (std::isnan(x))
    return "<td class=\"number\"></td>";
  return "<td class=\"number\" data-value=\"" + shortest(x) + "\">" + report_number(x) + "</td>";
}

/// @param inner cells of the names, and rows
std::string page_table(const std::string& style, const std::string& names,
                       const std::string& rows) {
  return "<div class=\"wide\"><table class=\"" + style + "\"><thead><tr>" + names
         + "</tr></thead>\n<tbody>\n" + rows + "</tbody></table></div>\n";
}

bool has_failed(const RunResults& run) {
  return run.outcome == "failed" || run.outcome == "refused";
}

std::string folder_name(const RunResults& run) {
  return std::filesystem::path{run.folder}.filename().string();
}

std::string overview(const GridReport& report) {
  std::size_t done = 0, failed = 0;
  for (const auto& run : report.runs) {
    done += run.outcome == "done" ? 1 : 0;
    failed += has_failed(run) ? 1 : 0;
  }
  const auto left = report.runs.size() - done - failed;
  auto text = std::to_string(report.configurations.size()) + " configurations, "
              + std::to_string(report.runs.size()) + " runs: " + std::to_string(done) + " done, "
              + std::to_string(failed) + " failed"
              + (left > 0 ? ", " + std::to_string(left) + " not ended" : "");
  text += ". They are compared by the last value of " + report.by + ": the "
          + (report.choose == Choose::min ? "lower" : "higher") + ", the better.";
  return element("p", text) + "\n";
}

std::string best_part(const GridReport& report) {
  const auto* best = best_run(report);
  if (best == nullptr)
    return element("p", "No run is done and has a " + report.by + ".") + "\n";
  return "<p>Best run: <strong>" + escaped_html(folder_name(*best)) + "</strong>, "
         + escaped_html(report.by) + " " + report_number(best->score)
         + ". This command repeats it:</p>\n<pre>" + escaped_html(repeating_command(*best))
         + "</pre>\n";
}

std::string curves_part(const GridReport& report) {
  const auto curves = curves_svg(report, scores_of_runs(report));
  if (curves.empty())
    return element("p", "No run has recorded a finite " + report.by + ".") + "\n";
  return curves
         + "<p class=\"note\">Thin: runs. Thick: the mean of a configuration, with a band of one "
           "standard deviation over its repetitions. Colours: the table below.</p>\n";
}

/// A chart for each statistic of problem and model.
std::string statistics_part(const GridReport& report) {
  std::set<std::string> counted;
  for (const auto& run : report.runs)
    for (const auto& [name, points] : run.statistics)
      counted.insert(name);
  std::string charts;
  for (const auto& name : counted)
    charts += curves_svg(report, statistic_of_runs(report, name));
  return charts.empty()
           ? charts
           : "<h2>Statistics of problem and model, means of each epoch</h2>\n" + charts;
}

std::string configurations_part(const GridReport& report) {
  std::string names = "<th>rank</th><th></th><th>trial</th>", rows;
  for (const auto& dimension : report.dimensions)
    names += element("th", dimension);
  names += element("th", report.by + ", mean") + "<th>deviation</th><th>runs done</th>";
  for (std::size_t rank = 0; rank < report.configurations.size(); ++rank) {
    const auto& configuration = report.configurations[rank];
    rows += "<tr><td class=\"number\">"
            + (std::isnan(configuration.mean) ? "" : std::to_string(rank + 1))
            + "</td><td><svg class=\"swatch\" viewBox=\"0 0 30 12\"><path class=\"sample "
            + rank_style(rank) + "\" d=\"M2 6h26\"/></svg></td><td class=\"number\">"
            + std::to_string(configuration.trial) + "</td>";
    for (const auto& value : configuration.values)
      rows += element("td", value);
    rows += number_in_cell(configuration.mean) + number_in_cell(configuration.deviation)
            + "<td class=\"number\">" + std::to_string(configuration.done) + " of "
            + std::to_string(configuration.runs.size()) + "</td></tr>\n";
  }
  return page_table("configurations", names, rows);
}

std::string parallel_part(const GridReport& report) {
  const auto parallel = parallel_svg(report);
  if (parallel.empty())
    return {};
  return "<h2>Settings and results</h2>\n" + parallel
         + "<p class=\"note\">A line for each run, from its settings to its result; better results "
           "are higher.</p>\n";
}

std::string failures_part(const GridReport& report) {
  std::string rows;
  for (const auto& run : report.runs)
    if (has_failed(run))
      rows += "<tr>" + element("td", folder_name(run)) + element("td", run.outcome)
              + element("td", run.reason) + "</tr>\n";
  if (rows.empty())
    return {};
  return "<h2>Failed runs</h2>\n"
         + page_table("failures", "<th>run</th><th>outcome</th><th>reason</th>", rows);
}

/// The numbers of a run under their names in the CSV; tests as means.
std::map<std::string, double> numbers_of(const RunResults& run) {
  auto numbers = run.training;
  numbers.insert(run.validation.begin(), run.validation.end());
  std::map<std::string, std::vector<double>> tests;
  for (const auto& test : run.tests)
    for (const auto& [name, value] : test.metrics)
      tests["test_" + name].push_back(value);
  for (const auto& [name, values] : tests)
    numbers[name] = spread_of_runs(values).mean;
  return numbers;
}

std::string runs_part(const GridReport& report) {
  std::set<std::string> measured;
  std::map<std::size_t, const ReportConfiguration*> configurations; // by trial
  for (const auto& configuration : report.configurations)
    configurations[configuration.trial] = &configuration;
  for (const auto& run : report.runs)
    for (const auto& [name, value] : numbers_of(run))
      measured.insert(name);
  std::vector<std::string> columns{"run", "trial", "repetition"};
  columns.insert(columns.end(), report.dimensions.begin(), report.dimensions.end());
  columns.insert(columns.end(), {"problem", "model", "seed", "outcome"});
  columns.insert(columns.end(), measured.begin(), measured.end());
  std::string names, rows;
  for (const auto& column : columns)
    names += "<th>" + element("button", column) + "</th>";
  for (const auto& run : report.runs) {
    rows += "<tr>" + element("td", folder_name(run)) + "<td class=\"number\">"
            + std::to_string(run.trial) + "</td><td class=\"number\">"
            + std::to_string(run.repetition) + "</td>";
    for (const auto& value : configurations.at(run.trial)->values)
      rows += element("td", value);
    for (const auto& text :
         {run.problem, run.model, run.seed, run.outcome.empty() ? "not ended" : run.outcome})
      rows += element("td", text);
    const auto numbers = numbers_of(run);
    for (const auto& name : measured) {
      const auto found = numbers.find(name);
      rows += found == numbers.end() ? "<td></td>" : number_in_cell(found->second);
    }
    rows += "</tr>\n";
  }
  return page_table("sortable", names, rows);
}

} // namespace

std::string report_page(const GridReport& report) {
  const auto title = "Grid " + report.name;
  return "<!DOCTYPE html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\">\n"
         "<meta name=\"viewport\" content=\"width=device-width, initial-scale=1\">\n"
         + element("title", title) + "\n<style>" + report_style + "</style>\n</head>\n<body>\n"
         + element("h1", title) + "\n" + overview(report) + best_part(report) + "<h2>Curves</h2>\n"
         + curves_part(report) + "<h2>Configurations, the best first</h2>\n"
         + configurations_part(report) + parallel_part(report) + statistics_part(report)
         + failures_part(report)
         + "<h2>Runs</h2>\n<p class=\"note\">Click a column's name to sort by it, and again to "
           "reverse the order.</p>\n"
         + runs_part(report) + "<script>" + report_script + "</script>\n</body>\n</html>\n";
}

} // namespace troupe
