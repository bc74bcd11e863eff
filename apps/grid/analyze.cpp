#include "apps/grid/analyze.hpp"

#include "apps/config/tree.hpp"
#include "apps/grid/progress.hpp"
#include "apps/grid/report.hpp"
#include "apps/grid/report_json.hpp"
#include "apps/grid/results.hpp"
#include "apps/grid/table.hpp"
#include "base/exit_codes.hpp"
#include "base/files/durable_file.hpp"

#include <cmath>
#include <filesystem>
#include <iostream>

namespace troupe {

namespace {

/// Warns once if runs lack the record to compare by.
void warn_of_missing_score(const GridPlan& plan, const std::vector<RunResults>& runs) {
  for (const auto& run : runs) {
    if (run.outcome != to_string(TrialOutcome::done) || !std::isnan(run.score))
      continue;
    const auto line = missing_score_line(plan, run.run);
    if (line.empty())
      continue;
    std::cerr << line << std::endl;
    return;
  }
}

} // namespace

int grid_analyze(const GridCommand& command) {
  const auto plan = started_plan(command);
  std::vector<std::string> axes;
  for (const auto& axis : plan.options().axes)
    axes.push_back(config::to_string(axis.path));
  const auto path = command.output.empty()
                      ? std::filesystem::path{plan.options().settings.folder} / "results.csv"
                      : std::filesystem::path{command.output};
  auto runs = read_results(plan);
  warn_of_missing_score(plan, runs);
  write_file(path, csv_of(results_table(runs, axes)), Readers::all);
  std::cout << path.string() << std::endl;
  const auto report = report_of(plan, std::move(runs));
  const auto page = path.parent_path() / "report.html";
  write_file(page, report_page(report), Readers::all);
  std::cout << page.string() << std::endl;
  return static_cast<int>(ExitCode::done);
}

} // namespace troupe
