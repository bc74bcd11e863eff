#include "apps/grid/table.hpp"

#include "apps/grid/statistics.hpp"
#include "base/text/csv_field.hpp"
#include "base/text/text.hpp"

#include <cmath>
#include <set>

namespace troupe {

namespace {

using Numbers = std::map<std::string, double>;
using Cells = std::map<std::string, std::string>; // by column

const std::vector<std::string> first_columns{"row",
                                             "run",
                                             "trial",
                                             "repetition",
                                             "task",
                                             "problem",
                                             "model",
                                             "model_save_timestamp",
                                             "training_terminal_status",
                                             "training_terminal_reason",
                                             "training_terminal_status_timestamp"};
const std::vector<std::string> training_columns{"training_configuration_filepath",
                                                "training_start_timestamp", "training_seed"};
const std::vector<std::string> test_columns{"test_configuration_filepath", "test_model_filepath",
                                            "test_start_timestamp"};

std::string number_cell(double x) { return std::isnan(x) ? "" : shortest(x); }

void put_numbers(Cells& cells, const Numbers& numbers, const std::string& prefix = "") {
  for (const auto& [name, value] : numbers)
    cells[prefix + name] = number_cell(value);
}

Cells trial_cells(const RunResults& run, const std::vector<std::string>& axes) {
  Cells cells{{"trial", std::to_string(run.trial)},
              {"task", std::to_string(run.task)},
              {"problem", run.problem},
              {"model", run.model}};
  for (std::size_t a = 0; a < axes.size(); ++a)
    cells["grid." + axes[a]] = run.values[a];
  return cells;
}

Cells run_cells(const RunResults& run, const std::vector<std::string>& axes) {
  auto cells = trial_cells(run, axes);
  cells["row"] = "run";
  cells["run"] = std::to_string(run.run);
  cells["repetition"] = std::to_string(run.repetition);
  cells["model_save_timestamp"] = run.saved;
  cells["training_terminal_status"] = run.outcome;
  cells["training_terminal_reason"] = run.reason;
  cells["training_terminal_status_timestamp"] = run.ended;
  cells["training_configuration_filepath"] = run.configuration;
  cells["training_start_timestamp"] = run.started;
  cells["training_seed"] = run.seed;
  put_numbers(cells, run.training);
  put_numbers(cells, run.validation);
  return cells;
}

void put_test(Cells& cells, const RunTest& test) {
  cells["test_configuration_filepath"] = test.configuration;
  cells["test_model_filepath"] = test.model;
  cells["test_start_timestamp"] = test.time;
  put_numbers(cells, test.metrics, "test_");
}

/// Values by column.
using Samples = std::map<std::string, std::vector<double>>;

Numbers reduced(const Samples& samples, double Spread::*what) {
  Numbers numbers;
  for (const auto& [name, xs] : samples)
    numbers[name] = spread_of_runs(xs).*what;
  return numbers;
}

/// The numbers of a run, which counts once for any number of tests.
Numbers numbers_of_run(const RunResults& run) {
  Samples tests;
  for (const auto& test : run.tests)
    for (const auto& [name, value] : test.metrics)
      tests["test_" + name].push_back(value);
  auto numbers = reduced(tests, &Spread::mean);
  numbers.insert(run.training.begin(), run.training.end());
  numbers.insert(run.validation.begin(), run.validation.end());
  return numbers;
}

/// The columns of the table of these runs.
std::vector<std::string> result_columns(const std::vector<RunResults>& runs,
                                        const std::vector<std::string>& axes) {
  std::set<std::string> training, validation, test;
  for (const auto& run : runs) {
    for (const auto& [name, value] : run.training)
      training.insert(name);
    for (const auto& [name, value] : run.validation)
      validation.insert(name);
    for (const auto& one : run.tests)
      for (const auto& [name, value] : one.metrics)
        test.insert("test_" + name);
  }
  auto columns = first_columns;
  const auto add
    = [&columns](const auto& names) { columns.insert(columns.end(), names.begin(), names.end()); };
  for (const auto& axis : axes)
    columns.push_back("grid." + axis);
  add(training_columns);
  add(training);
  add(validation);
  add(test_columns);
  add(test);
  return columns;
}

} // namespace

ResultsTable results_table(const std::vector<RunResults>& runs,
                           const std::vector<std::string>& axes) {
  ResultsTable table{result_columns(runs, axes), {}};
  const auto add = [&table](const Cells& cells) {
    auto& row = table.rows.emplace_back();
    for (const auto& column : table.columns) {
      const auto found = cells.find(column);
      row.push_back(found == cells.end() ? "" : found->second);
    }
  };
  std::map<std::size_t, std::pair<const RunResults*, Samples>> trials;
  for (const auto& run : runs) {
    auto cells = run_cells(run, axes);
    if (run.tests.empty())
      add(cells);
    for (const auto& test : run.tests) {
      put_test(cells, test);
      add(cells);
      cells = {{"row", "run"}, {"run", std::to_string(run.run)}};
    }
    if (run.outcome == "done") {
      auto& [first, samples] = trials[run.trial];
      first = first == nullptr ? &run : first;
      for (const auto& [name, value] : numbers_of_run(run))
        samples[name].push_back(value);
    }
  }
  for (const auto& [number, trial] : trials)
    for (const auto& [name, what] :
         {std::pair{"mean", &Spread::mean}, std::pair{"deviation", &Spread::deviation}}) {
      auto cells = trial_cells(*trial.first, axes);
      cells["row"] = name;
      put_numbers(cells, reduced(trial.second, what));
      add(cells);
    }
  return table;
}

std::string csv_of(const ResultsTable& table) {
  std::string text;
  const auto add = [&text](const std::vector<std::string>& cells) {
    text += joined(cells, ",", csv_field) + "\r\n";
  };
  add(table.columns);
  for (const auto& row : table.rows)
    add(row);
  return text;
}

} // namespace troupe
