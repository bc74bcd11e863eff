#include "troupe/apps/abscissa.hpp"
#include "troupe/apps/config/yaml.hpp"
#include "troupe/apps/grid/table.hpp"
#include "troupe/apps/log_source.hpp"

#include <cmath>
#include <string_view>

namespace troupe {

namespace {

namespace fs = std::filesystem;

std::string text_at(const config::Node& tree, const config::Path& path) {
  const auto* found = config::get(tree, path);
  return found != nullptr && found->is_scalar() ? found->text() : "";
}

void read_run_settings(const fs::path& folder, RunResults& results) {
  const auto file = folder / "config.yaml";
  std::error_code ignored;
  if (!fs::exists(file, ignored))
    return;
  const auto tree = config::read_yaml_file(file);
  results.configuration = file.string();
  results.problem = text_at(tree, {"problem", "name"});
  results.model = text_at(tree, {"model", "name"});
  results.seed = text_at(tree, {"training", "seed"});
}

/// How the record `by` has gone.
std::vector<ScorePoint> scores_in(const LogSource& source, const std::string& by) {
  std::map<WorkerId, Abscissa> places;
  std::map<double, double> values; // by epochs
  for (const auto& row : source.log().rows()) {
    const auto found = row.records.find(by);
    if (found == row.records.end())
      continue;
    const auto worker = row.row.worker;
    if (places.count(worker) == 0)
      places.emplace(worker,
                     Abscissa{Against::epochs, source.log().status(worker), source.name(), 0});
    if (const auto epochs = places.at(worker).of(row); std::isfinite(epochs))
      values[epochs] = number_of(found->second);
  }
  std::vector<ScorePoint> scores;
  for (const auto& [epochs, value] : values)
    scores.push_back({epochs, value});
  return scores;
}

/// The last values of what was recorded. Times are left out: they tell of the machine.
void read_logged_records(const fs::path& folder, const std::string& by, RunResults& results) {
  std::error_code ignored;
  if (!fs::exists(folder / "log.jsonl", ignored))
    return;
  for (const auto& source : find_logs({folder.string()}, "")) {
    source->poll(false);
    results.scores = scores_in(*source, by);
    if (!source->log().starts().empty())
      results.started = source->log().starts().front().time;
    for (const auto& row : source->log().rows())
      for (const auto& [name, value] : row.records)
        if (const auto number = as_number(value); number && !name.ends_with("_seconds")) {
          if (name.starts_with("training_"))
            results.training[name] = *number;
          else if (name.starts_with("validation_"))
            results.validation[name] = *number;
        }
  }
}

} // namespace

std::vector<RunResults> read_results(const GridPlan& plan) {
  const auto journal = read_journal(fs::path{plan.options().settings.folder} / journal_file);
  std::map<RunNumber, const TrialEnded*> ends;
  for (const auto& ended : journal.ended)
    ends[ended.run] = &ended;
  std::vector<RunResults> all;
  for (RunNumber run = 1; run <= plan.runs(); ++run) {
    const auto& trial = plan.trials()[plan.trial_of(run)];
    auto& results = all.emplace_back();
    results.run = run;
    results.trial = plan.trial_of(run) + 1;
    results.repetition = plan.repetition_of(run);
    results.task = trial.task + 1;
    for (const auto& value : trial.values)
      results.values.push_back(setting_text(value));
    const auto folder = plan.folder_of(run);
    results.folder = folder.string();
    if (const auto found = ends.find(run); found != ends.end()) {
      results.outcome = to_string(found->second->outcome);
      results.reason = found->second->reason;
      results.score = found->second->score;
      results.ended = found->second->time;
      if (found->second->outcome == TrialOutcome::done)
        results.saved = found->second->time;
    }
    read_run_settings(folder, results);
    read_logged_records(folder, plan.options().settings.by, results);
    results.tests = read_tests(folder);
  }
  return all;
}

} // namespace troupe
