#include "model/data/table/csv_fit.hpp"

#include "base/failure.hpp"
#include "base/text/text.hpp"
#include "model/data/table/csv_text.hpp"

#include <nlohmann/json.hpp>

#include <algorithm>
#include <set>

namespace troupe {

namespace {

using FitJson = nlohmann::ordered_json;

/// Adds nothing if the numbers are plain.
void add_style(FitJson& json, const NumberStyle& style) {
  if (!style.plain)
    json["written"] = {
      {"decimal", std::string(1, style.decimal)}, {"before", style.before}, {"after", style.after}};
}

NumberStyle style_from(const FitJson& json) {
  if (!json.contains("written"))
    return {};
  const auto& written = json.at("written");
  return {.plain = false,
          .decimal = written.at("decimal").get<std::string>() == "," ? ',' : '.',
          .before = written.at("before").get<std::string>(),
          .after = written.at("after").get<std::string>()};
}

FitJson fit_json(const ColumnFit& column) {
  FitJson json{{"column", column.name}};
  if (!column.numeric)
    json["levels"] = column.levels;
  else
    json["mean"] = column.mean;
  if (column.numeric && column.standardized)
    json["deviation"] = column.deviation;
  add_style(json, column.style);
  if (!column.date.empty()) {
    json["date"] = column.date;
    json["order"] = column.order == DateOrder::day_month ? "day_month" : "month_day";
  }
  return json;
}

FitJson fit_json(const TargetFit& target) {
  FitJson json{{"column", target.name}};
  if (!target.classes.empty()) {
    json["classes"] = target.classes;
    if (!target.untrained.empty())
      json["untrained"] = target.untrained;
  } else {
    json["mean"] = target.mean;
    json["deviation"] = target.deviation;
  }
  add_style(json, target.style);
  return json;
}

ColumnFit column_fit_from(const FitJson& json) {
  ColumnFit column;
  json.at("column").get_to(column.name);
  column.numeric = !json.contains("levels");
  column.standardized = json.contains("deviation");
  if (!column.numeric)
    json.at("levels").get_to(column.levels);
  else
    json.at("mean").get_to(column.mean);
  if (column.standardized)
    json.at("deviation").get_to(column.deviation);
  column.style = style_from(json);
  if (json.contains("date")) {
    json.at("date").get_to(column.date);
    column.order = json.at("order").get<std::string>() == "month_day" ? DateOrder::month_day
                                                                      : DateOrder::day_month;
  }
  return column;
}

TargetFit target_fit_from(const FitJson& json) {
  TargetFit target;
  json.at("column").get_to(target.name);
  if (json.contains("classes")) {
    json.at("classes").get_to(target.classes);
    if (json.contains("untrained"))
      json.at("untrained").get_to(target.untrained);
    const std::set<std::string> different(target.classes.begin(), target.classes.end());
    if (different.size() < target.classes.size())
      throw DataError("the fit of the run's table names a class of " + target.name
                      + " twice, so that its rows cannot be told apart; train it again");
  } else {
    json.at("mean").get_to(target.mean);
    json.at("deviation").get_to(target.deviation);
  }
  target.style = style_from(json);
  return target;
}

/// "when (year)" for a part of a date.
std::string name_of_number(const ColumnFit& column) {
  const bool part = !column.date.empty() && column.date != "number";
  return column.name + (part ? " (" + column.date + ")" : "");
}

std::string count_of(std::size_t count, const std::string& one, const std::string& many) {
  return std::to_string(count) + " " + (count == 1 ? one : many);
}

} // namespace

std::string some_of(const std::vector<std::string>& words) {
  return first_joined(words, 10, [](const std::string& word) {
    return word.empty() ? "(missing)" : escaped_text(word);
  });
}

std::string to_json(const CsvFit& fit) {
  FitJson json{{"problem", "csv"},
               {"data", fit.data},
               {"separator", std::string(1, fit.separator)},
               {"header", fit.header},
               {"columns", fit.columns},
               {"features", FitJson::array()},
               {"target", fit_json(fit.target)}};
  for (const auto& column : fit.features)
    json["features"].push_back(fit_json(column));
  return json.dump(2) + "\n";
}

CsvFit csv_fit_from(const std::string& text) {
  try {
    const auto json = FitJson::parse(text);
    CsvFit fit;
    json.at("data").get_to(fit.data);
    if (json.contains("separator")) // runs of older versions have none
      if (const auto separator = json.at("separator").get<std::string>(); separator.size() == 1)
        fit.separator = separator[0];
    json.at("header").get_to(fit.header);
    json.at("columns").get_to(fit.columns);
    for (const auto& column : json.at("features"))
      fit.features.push_back(column_fit_from(column));
    fit.target = target_fit_from(json.at("target"));
    return fit;
  } catch (const nlohmann::json::exception& e) {
    throw DataError(std::string{"the fit of the run's table cannot be read: "} + e.what()
                    + "; restore its problem.json");
  }
}

DataSpec data_spec(const CsvFit& fit) {
  const auto width = static_cast<Index>(feature_names(fit).size());
  const auto classes = static_cast<Index>(fit.target.classes.size());
  DataSpec spec;
  spec.inputs = {{"features", ElementType::float32, {any_size, width}}};
  if (classes > 0)
    spec.targets
      = {{"label", ElementType::class_index, {any_size}, classes, !fit.target.untrained.empty()}};
  else
    spec.targets = {{"target",
                     ElementType::float32,
                     {any_size, 1},
                     0,
                     false,
                     fit.target.deviation > 0 ? fit.target.deviation : 1}};
  return spec;
}

std::vector<std::string> feature_names(const CsvFit& fit) {
  std::vector<std::string> names;
  for (const auto& column : fit.features) {
    if (column.numeric)
      names.push_back(name_of_number(column));
    for (const auto& level : column.levels)
      names.push_back(column.name + " = " + level);
  }
  return names;
}

std::vector<std::string> reading_text(const CsvFit& fit) {
  std::vector<std::string> numbers, lines;
  for (const auto& column : fit.features)
    if (column.numeric)
      numbers.push_back(escaped_text(name_of_number(column)));
    else
      lines.push_back(escaped_text(column.name) + ": words, "
                      + count_of(column.levels.size(), "level", "levels") + ": "
                      + some_of(column.levels));
  if (!numbers.empty())
    lines.insert(lines.begin(), count_of(numbers.size(), "column", "columns")
                                  + " of numbers: " + some_of(numbers));
  const auto& target = fit.target;
  lines.push_back("to predict: " + escaped_text(target.name)
                  + (target.classes.empty()
                       ? ", a number"
                       : ", one of " + count_of(target.classes.size(), "class", "classes") + ": "
                           + some_of(target.classes)));
  return lines;
}

} // namespace troupe
