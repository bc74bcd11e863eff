#include "apps/grid/report.hpp"

#include "apps/config/print.hpp"
#include "apps/grid/statistics.hpp"
#include "base/text/text.hpp"

#include <algorithm>
#include <cmath>
#include <set>

namespace troupe {

namespace {

std::string files_text(const GridTask& task) {
  std::vector<std::string> names;
  for (const auto& file : task.configs)
    names.push_back(file.filename().string());
  return joined(names);
}

/// A task's own settings, by dotted path.
std::map<std::string, std::string> task_settings(const GridTask& task) {
  std::map<std::string, std::string> settings;
  for (const auto& leaf : config::leaves(task.overwrite))
    settings[config::to_string(leaf.path)] = setting_text(leaf.value);
  if (!task.configs.empty())
    settings["configs"] = files_text(task);
  return settings;
}

std::string setting_of_task(const std::map<std::string, std::string>& task,
                            const std::string& name) {
  const auto found = task.find(name);
  return found == task.end() ? "not set" : found->second;
}

/// Quotes a text as one word of a shell.
std::string shell_word(const std::string& text) {
  const auto plain = [](char c) {
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '/'
           || c == '.' || c == '_' || c == '-';
  };
  if (std::all_of(text.begin(), text.end(), plain))
    return text;
  std::string quoted = "'";
  for (const auto c : text)
    quoted += c == '\'' ? std::string{"'\\''"} : std::string{c};
  return quoted + "'";
}

} // namespace

GridDimensions dimensions_of(const GridPlan& plan) {
  const auto& options = plan.options();
  std::vector<std::map<std::string, std::string>> tasks;
  for (const auto& task : options.tasks)
    tasks.push_back(task_settings(task));
  std::set<std::string> names;
  for (const auto& task : tasks)
    for (const auto& [name, value] : task)
      names.insert(name);
  for (const auto& axis : options.axes)
    names.erase(config::to_string(axis.path)); // axes take precedence over the task's settings
  GridDimensions dimensions;
  for (const auto& name : names) {
    const auto same = [&](const auto& task) {
      return setting_of_task(task, name) == setting_of_task(tasks.front(), name);
    };
    if (!std::all_of(tasks.begin(), tasks.end(), same))
      dimensions.names.push_back(name);
  }
  const auto of_tasks = dimensions.names.size();
  for (const auto& axis : options.axes)
    dimensions.names.push_back(config::to_string(axis.path));
  for (const auto& trial : plan.trials()) {
    auto& values = dimensions.values.emplace_back();
    for (std::size_t i = 0; i < of_tasks; ++i)
      values.push_back(setting_of_task(tasks[trial.task], dimensions.names[i]));
    for (const auto& value : trial.values)
      values.push_back(setting_text(value));
  }
  return dimensions;
}

GridReport ranked(GridReport report, const GridDimensions& dimensions) {
  report.dimensions = dimensions.names;
  std::map<std::size_t, ReportConfiguration> trials;
  for (std::size_t i = 0; i < report.runs.size(); ++i) {
    const auto trial = report.runs[i].trial;
    auto& configuration = trials[trial];
    configuration.trial = trial;
    configuration.values = dimensions.values.at(trial - 1);
    configuration.runs.push_back(i);
  }
  report.configurations.clear();
  for (auto& [trial, configuration] : trials) {
    std::vector<double> scores;
    for (const auto i : configuration.runs)
      if (report.runs[i].outcome == "done")
        scores.push_back(report.runs[i].score);
    configuration.done = scores.size();
    const auto spread = spread_of_runs(scores);
    configuration.mean = spread.mean;
    configuration.deviation = spread.deviation;
    report.configurations.push_back(std::move(configuration));
  }
  std::stable_sort(
    report.configurations.begin(), report.configurations.end(),
    [&](const auto& a, const auto& b) { return is_better(a.mean, b.mean, report.choose); });
  return report;
}

GridReport report_of(const GridPlan& plan, std::vector<RunResults> runs) {
  const auto& settings = plan.options().settings;
  GridReport report;
  report.name = std::filesystem::path{settings.folder}.filename().string();
  report.by = settings.by;
  report.choose = settings.choose;
  report.rungs = settings.halving.rungs;
  report.runs = std::move(runs);
  return ranked(std::move(report), dimensions_of(plan));
}

const RunResults* best_run(const GridReport& report) {
  const RunResults* best = nullptr;
  for (const auto& run : report.runs)
    if (run.outcome == "done" && !std::isnan(run.score)
        && (best == nullptr || is_better(run.score, best->score, report.choose)))
      best = &run;
  return best;
}

std::string repeating_command(const RunResults& run) {
  return "troupe train " + shell_word(run.configuration);
}

} // namespace troupe
