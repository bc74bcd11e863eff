#include "apps/grid/progress.hpp"

#include "apps/config/print.hpp"
#include "apps/folder/logged_values.hpp"
#include "apps/grid/statistics.hpp"
#include "base/failure.hpp"
#include "base/text/nearest_name.hpp"
#include "base/text/text.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

namespace troupe {

namespace {

std::string four_digits(double x) { return fmt::format("{:.4g}", x); }

/// A line of the table.
struct TrialSummary {
  std::size_t trial = 0;
  std::vector<double> scores;
  std::size_t failed = 0;
  double mean = 0, deviation = 0; ///< NaN for no score; the deviation also for one
};

std::vector<TrialSummary> summaries_of(const GridPlan& plan, const GridResults& results) {
  std::vector<TrialSummary> trials(plan.trials().size());
  for (std::size_t i = 0; i < trials.size(); ++i)
    trials[i].trial = i;
  for (const auto& [run, ended] : results.last()) {
    auto& trial = trials[plan.trial_of(run)];
    if (ended.outcome == TrialOutcome::done)
      trial.scores.push_back(ended.score);
    else if (ended.outcome != TrialOutcome::stopped)
      ++trial.failed;
  }
  for (auto& trial : trials) {
    const auto spread = spread_of_runs(trial.scores);
    trial.mean = spread.mean;
    trial.deviation = spread.deviation;
  }
  const auto choose = plan.options().settings.choose;
  std::stable_sort(trials.begin(), trials.end(),
                   [&](const auto& a, const auto& b) { return is_better(a.mean, b.mean, choose); });
  return trials;
}

std::string values_text(const GridPlan& plan, const GridTrial& trial) {
  std::string text;
  if (plan.options().tasks.size() > 1)
    text = "task " + std::to_string(trial.task + 1);
  for (std::size_t a = 0; a < trial.values.size(); ++a)
    text += (text.empty() ? "" : ", ") + plan.options().axes[a].path.back() + " "
            + setting_text(trial.values[a]);
  return text;
}

} // namespace

void GridResults::add(const TrialEnded& ended) {
  last_[ended.run] = ended;
  if (ended.outcome == TrialOutcome::done && !std::isnan(ended.score)
      && (best_.run == 0 || is_better(ended.score, best_.score, choose_)))
    best_ = ended;
}

std::string progress_line(const GridPlan& plan, const GridQueue& queue,
                          const GridResults& results) {
  auto text = std::to_string(queue.done()) + "/" + std::to_string(queue.runs()) + " runs done";
  if (queue.failed() > 0)
    text += ", " + std::to_string(queue.failed()) + " failed";
  text += ", " + std::to_string(queue.in_flight()) + " running";
  if (const auto& best = results.best(); best.run > 0)
    text += "; best " + plan.options().settings.by + " " + four_digits(best.score) + " ("
            + plan.folder_of(best.run).filename().string() + ")";
  return text;
}

std::string failure_line(const GridPlan& plan, const GridQueue& queue, const TrialEnded& ended) {
  if (ended.outcome == TrialOutcome::done || ended.outcome == TrialOutcome::stopped)
    return {};
  return "run " + std::to_string(ended.run) + " (" + plan.folder_of(ended.run).filename().string()
         + ") " + (ended.outcome == TrialOutcome::refused ? "was refused" : "failed")
         + (ended.node.empty() ? "" : " on node " + ended.node) + ", attempt "
         + std::to_string(ended.attempt) + ": " + ended.reason
         + (queue.is_last_attempt(ended) ? "" : "; it is retried");
}

std::string given_up_lines(const GridPlan& plan, const GridQueue& queue, const GridResults& results,
                           std::size_t most) {
  std::string text;
  std::set<std::string> reasons;
  std::size_t more = 0;
  for (const auto& [run, ended] : results.last()) {
    if (!queue.is_last_attempt(ended))
      continue;
    if (reasons.size() < most && reasons.insert(ended.reason).second)
      text += failure_line(plan, queue, ended) + "\n";
    else
      ++more;
  }
  if (text.empty())
    return {};
  if (more > 0)
    text += "and " + std::to_string(more) + " more; all are in the journal\n";
  return text + "the same command with --failed retries them once";
}

std::string missing_score_line(const GridPlan& plan, RunNumber run,
                               const std::set<std::string>& recorded) {
  const auto& by = plan.options().settings.by;
  if (recorded.count(by) != 0)
    return {};
  return "warning: run " + std::to_string(run) + " (" + plan.folder_of(run).filename().string()
         + ") has recorded no '" + by + "', by which the grid compares its runs"
         + suggestion(by, {recorded.begin(), recorded.end()});
}

std::string missing_score_line(const GridPlan& plan, RunNumber run) {
  try {
    return missing_score_line(plan, run, recorded_names(plan.folder_of(run)));
  } catch (const IoError&) {
    return {};
  }
}

std::string summary_table(const GridPlan& plan, const GridResults& results, std::size_t most) {
  const auto trials = summaries_of(plan, results);
  std::vector<std::string> names;
  std::size_t width = 0;
  for (std::size_t i = 0; i < std::min(most, trials.size()); ++i) {
    names.push_back(values_text(plan, plan.trials()[trials[i].trial]));
    width = std::max(width, names.back().size());
  }
  std::string text;
  for (std::size_t i = 0; i < names.size(); ++i) {
    const auto& trial = trials[i];
    text += fmt::format("trial-{:04}  ", trial.trial + 1) + names[i]
            + std::string(width - names[i].size(), ' ');
    if (!trial.scores.empty() && std::isnan(trial.mean))
      text += "  no " + plan.options().settings.by;
    else if (!trial.scores.empty())
      text += "  " + plan.options().settings.by + " " + four_digits(trial.mean);
    if (!std::isnan(trial.deviation))
      text += " +- " + four_digits(trial.deviation);
    text += "  " + std::to_string(trial.scores.size()) + " done";
    if (trial.failed > 0)
      text += ", " + std::to_string(trial.failed) + " failed";
    text += "\n";
  }
  if (trials.size() > most)
    text += "and " + std::to_string(trials.size() - most) + " more; all: troupe grid analyze\n";
  return text;
}

} // namespace troupe
