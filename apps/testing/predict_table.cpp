#include "apps/testing/predict_table.hpp"

#include "apps/config/tree.hpp"
#include "apps/config/yaml.hpp"
#include "apps/folder/problem_file.hpp"
#include "apps/folder/run_folder.hpp"
#include "apps/session/trained_model.hpp"
#include "base/config/component_kind.hpp"
#include "base/failure.hpp"
#include "base/files/durable_file.hpp"
#include "base/text/csv_field.hpp"
#include "base/text/text.hpp"
#include "model/data/table/csv.hpp"

#include <algorithm>
#include <cmath>
#include <utility>

namespace troupe {

namespace {

/// How the run read its table.
struct FittedTable {
  CsvOptions options;
  std::string fit;
};

FittedTable table_of_run(const std::string& run) {
  const auto tree = config::read_yaml_file(configuration_of_run(run));
  const auto* problem = tree.find("problem");
  FittedTable table;
  if (problem != nullptr)
    table.fit = fit_in(folder_of_run(run), *problem);
  if (table.fit.empty() || config::text_at(*problem, {"name"}) != "csv")
    throw ConfigError("'" + run
                      + "' keeps no problem.json of a table, by which another table "
                        "could be read; give the model's own numbers, as x.npy");
  table.options = options_of<CsvOptions>(*problem, "problem");
  return table;
}

std::vector<double> softmax_of(std::span<const float> outputs) {
  const auto largest = *std::max_element(outputs.begin(), outputs.end());
  std::vector<double> shares;
  double sum = 0;
  for (const auto output : outputs)
    sum += shares.emplace_back(std::exp(double{output} - largest));
  for (auto& share : shares)
    share /= sum;
  return shares;
}

/// The expected target for the model output `z`: losses of bounded targets work on their logarithm
/// or log odds.
double mean_target(const std::string& loss, double z) {
  if (loss == "poisson" || loss == "kl_divergence")
    return std::exp(z);
  if (loss == "soft_margin") // log odds of 1 against -1
    return std::tanh(z / 2);
  if (loss == "binary_cross_entropy" || loss == "masked_binary_cross_entropy"
      || loss == "multi_label_soft_margin")
    return 1 / (1 + std::exp(-z));
  return z;
}

/// Writes the lines of the predictions.
class PredictionLines {
public:
  /// @param loss the model was trained with
  PredictionLines(const TargetFit& target, std::string loss)
    : target_(target),
      loss_(std::move(loss)) {}

  std::string header() const {
    auto line = csv_field(target_.name);
    for (const auto& name : target_.classes)
      line += "," + csv_field(name);
    return line + "\n";
  }

  std::string line(std::span<const float> outputs) const {
    if (target_.classes.empty())
      return shortest(target_.mean + target_.deviation * mean_target(loss_, outputs.front()))
             + "\n";
    const auto best = std::max_element(outputs.begin(), outputs.end()) - outputs.begin();
    auto line = csv_field(target_.classes.at(static_cast<std::size_t>(best)));
    for (const auto number : loss_ == "softmax_cross_entropy"
                               ? softmax_of(outputs)
                               : std::vector<double>(outputs.begin(), outputs.end()))
      line += "," + shortest(number);
    return line + "\n";
  }

private:
  const TargetFit& target_;
  std::string loss_;
};

} // namespace

void predict_table(const std::string& run, const std::string& input, const std::string& output) {
  constexpr Index rows_at_once = 256;
  auto table = table_of_run(run);
  table.options.path = input;
  const auto features = read_csv_rows(table.options, table.fit);
  const auto target = csv_fit_from(table.fit).target;
  auto trained = trained_model(run);
  auto& model = *trained.model;
  const auto width = static_cast<std::size_t>(model.prediction().width());
  const auto classes = std::max<std::size_t>(1, target.classes.size());
  if (width != classes)
    throw ConfigError("the model of '" + run + "' puts out " + std::to_string(width)
                      + " numbers for a row, which are not " + std::to_string(classes)
                      + " of the table's target; give the model's own numbers, as x.npy");
  const PredictionLines lines{target, model.loss_name()};
  const auto header = lines.header();
  DurableFile file{output, Readers::all};
  file.write(header.data(), header.size());
  Batch batch;
  batch.inputs.resize(1);
  for (Index first = 0; first < features.rows(); first += batch.size) {
    batch.size = std::min(rows_at_once, features.rows() - first);
    batch.inputs[0].values.resize(static_cast<std::size_t>(batch.size * features.width()));
    features.copy(
      static_cast<std::size_t>(batch.size),
      [&](std::size_t i) { return first + static_cast<Index>(i); }, batch.inputs[0].values.data());
    const auto y = model.forward(trained.parameters.values.view(), batch);
    std::string text; // written row by row: many rows of many classes could exceed the memory
    for (Index row = 0; row < batch.size; ++row)
      text += lines.line(y.subspan(static_cast<std::size_t>(row) * width, width));
    file.write(text.data(), text.size());
  }
  file.commit();
}

} // namespace troupe
