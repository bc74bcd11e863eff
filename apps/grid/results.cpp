#include "apps/grid/results.hpp"

#include "apps/config/print.hpp"
#include "apps/config/yaml.hpp"
#include "apps/folder/find_logs.hpp"
#include "apps/folder/log_reader.hpp"
#include "apps/folder/logged_values.hpp"
#include "apps/grid/test.hpp"
#include "apps/plots/abscissa.hpp"
#include "extensions/monitoring/training_statistics.hpp"
#include "messages/checkpoint/saved_run.hpp"
#include "messages/evaluation/best_model.hpp"
#include "messages/evaluation/undefined_metrics.hpp"
#include "messages/log/statistics_file.hpp"

#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <limits>

namespace troupe {

namespace {

namespace fs = std::filesystem;

void read_run_settings(const fs::path& folder, RunResults& results) {
  const auto file = folder / "config.yaml";
  std::error_code ignored;
  if (!fs::exists(file, ignored))
    return;
  const auto tree = config::read_yaml_file(file);
  results.configuration = file.string();
  results.problem = config::text_at(tree, {"problem", "name"});
  results.model = config::text_at(tree, {"model", "name"});
  results.seed = config::text_at(tree, {"training", "seed"});
}

/// The last values of the records, and the curve of the record `by`, without times, which depend on
/// the machine.
class LoggedResults {
public:
  /// @param model the name of the file of the run's best model
  LoggedResults(const RunLog& head, std::string name, const std::string& by, std::string model,
                RunResults& results)
    : head_(head),
      name_(std::move(name)),
      by_(by),
      model_(std::move(model)),
      results_(results) {}

  void take(const LoggedRow& row) {
    for (const auto& [name, value] : row.records)
      if (const auto number = as_number(value); number && is_measurement(name)
                                                && !name.ends_with("_seconds")
                                                && !is_undefined(row.records, name)) {
        if (name.starts_with("training_"))
          results_.training[name] = *number;
        else if (name.starts_with("validation_"))
          results_.validation[name] = *number;
      }
    if (const auto saved = row.records.find("saved_to");
        saved != row.records.end() && fs::path{to_string(saved->second)}.filename() == model_)
      results_.saved = row.time;
    const auto found = row.records.find(by_);
    if (found == row.records.end() || is_undefined(row.records, by_))
      return;
    last_score_ = number_of(found->second);
    const auto worker = row.row.worker;
    if (places_.count(worker) == 0)
      places_.emplace(worker, Abscissa{Against::epochs, head_.status(worker), name_, 0});
    if (const auto epochs = places_.at(worker).of({row.seconds, 0, row.row.batch, row.epoch});
        std::isfinite(epochs))
      scores_[epochs] = number_of(found->second);
  }

  std::vector<CurvePoint> scores() const {
    std::vector<CurvePoint> scores;
    for (const auto& [epochs, value] : scores_)
      scores.push_back({epochs, value});
    return scores;
  }

  /// The last value of `by`; NaN if there is none.
  double last_score() const { return last_score_; }

private:
  const RunLog& head_;
  std::string name_;
  const std::string& by_;
  std::string model_;
  RunResults& results_;
  std::map<WorkerId, Abscissa> places_;
  std::map<double, double> scores_; ///< by epochs
  double last_score_ = std::numeric_limits<double>::quiet_NaN();
};

void read_logged_records(const fs::path& folder, const std::string& by,
                         const std::optional<fs::path>& model, RunResults& results) {
  std::error_code ignored;
  if (!fs::exists(folder / "log.jsonl", ignored))
    return;
  for (const auto& file : log_files(folder)) {
    LogReader log{file};
    LoggedResults logged{log.head(), folder.string(), by,
                         model ? model->filename().string() : std::string{}, results};
    each_row(log, [&logged](const LoggedRow& row) { logged.take(row); });
    results.scores = logged.scores();
    if (results.outcome
        == to_string(TrialOutcome::done)) // the journal may have the score of another `by`
      results.score = logged.last_score();
    if (!log.head().starts().empty())
      results.started = log.head().starts().front().time;
  }
}

/// Reads the statistics of problem and model if the run has them: the last epoch's aggregates and
/// the curves of the means.
void read_own_statistics(const fs::path& folder, RunResults& results) {
  const auto rows = read_statistics(folder / "training_set_agg_statistics.csv");
  if (rows.size() < 2)
    return;
  const auto& names = rows.front();
  const auto place_of = [&names](const std::string& name) {
    return static_cast<std::size_t>(std::find(names.begin(), names.end(), name) - names.begin());
  };
  const auto epochs = place_of("epoch");
  const auto number_at = [&rows](std::size_t row, std::size_t column) {
    return column < rows[row].size() && !rows[row][column].empty()
             ? std::strtod(rows[row][column].c_str(), nullptr)
             : std::numeric_limits<double>::quiet_NaN();
  };
  const auto& usual = epoch_statistics_columns();
  for (std::size_t column = 0; column < names.size(); ++column) {
    const auto& name = names[column];
    if (std::find(usual.begin(), usual.end(), name) != usual.end())
      continue;
    // The record of the mean in the log has more digits, so it is kept.
    results.training.emplace("training_" + name, number_at(rows.size() - 1, column));
    if (place_of(name + "_std") == names.size())
      continue; // it is a minimum, maximum or deviation
    auto& points = results.statistics[name];
    for (std::size_t row = 1; row < rows.size(); ++row)
      points.push_back({number_at(row, epochs), number_at(row, column)});
  }
}

/// Reads the time at which the run's best model was saved, if its file says it.
void read_time_of_model(const std::optional<fs::path>& model, RunResults& results) {
  if (!model)
    return;
  if (model->filename() == saved_run_file) {
    results.saved = results.outcome == to_string(TrialOutcome::done) ? results.ended : "";
    return;
  }
  try {
    const auto run = load_run(*model);
    if (run.card)
      results.saved = run.card->model_timestamp;
  } catch (const std::exception&) {
    results.saved.clear(); // testing reports a damaged file
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
    }
    read_run_settings(folder, results);
    const auto model = best_model(folder);
    read_logged_records(folder, plan.options().settings.by, model, results);
    read_own_statistics(folder, results);
    read_time_of_model(model, results);
    results.tests = read_tests(folder);
  }
  return all;
}

} // namespace troupe
