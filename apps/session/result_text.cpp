#include "apps/session/result_text.hpp"

#include "actors/log/console.hpp"
#include "base/text/text.hpp"
#include "base/text/wrapped_text.hpp"
#include "messages/evaluation/undefined_metrics.hpp"
#include "model/zoo/network.hpp"

#include <fmt/format.h>
#include <nlohmann/json.hpp>
#include <unistd.h>

#include <algorithm>
#include <cmath>
#include <sstream>

namespace troupe {

namespace {

/// "0.1234", "0.0000 (undefined)"
std::string metric_text(const std::string& metric, double value,
                        const std::vector<std::string>& undefined) {
  return fmt::format("{:.4f}", without_nan_sign(value)) + undefined_mark(metric, undefined);
}

struct Sums {
  std::uint64_t batches = 0, examples = 0, skipped = 0;
  double seconds = 0;
  Epoch epochs = 0;
};

Sums sums_of(const SessionResult& result) {
  Sums sums;
  for (const auto& worker : result.finished) {
    sums.batches += worker.position.batches;
    sums.examples += worker.position.examples;
    sums.skipped += worker.totals.skipped_batches;
    sums.seconds = std::max(sums.seconds, worker.position.seconds);
    sums.epochs = std::max(sums.epochs, worker.position.epochs);
  }
  return sums;
}

double rate(const Sums& sums) {
  return sums.seconds > 0 ? static_cast<double>(sums.examples) / sums.seconds : 0;
}

using Json = nlohmann::ordered_json;

Json number(double x) {
  if (std::isfinite(x))
    return x;
  return std::isnan(x) ? "NaN" : x > 0 ? "Infinity" : "-Infinity";
}

/// The inverse of number().
double number_from(const Json& json) {
  if (json.is_number())
    return json.get<double>();
  return json == "Infinity" ? HUGE_VAL : json == "-Infinity" ? -HUGE_VAL : NAN;
}

/// A setting's value in JSON: a number or a flag if it is one, else the text.
Json setting_json(const std::string& text) {
  auto value = Json::parse(text, nullptr, false);
  return value.is_number() || value.is_boolean() ? value : Json(text);
}

/// " (linear0.weight is embedding0.weight^T)"; "" if the model shares no parameters.
std::string shares_of(const Model& model) {
  std::string text;
  if (const auto* network = dynamic_cast<const Network*>(&model))
    for (const auto& [name, with] : network->shares())
      text += (text.empty() ? " (" : ", ") + name + " is " + with;
  return text + (text.empty() ? "" : ")");
}

/// "2 workers", "worker 1 of 2"
std::string who_trains(WorkerId here, const ProcessShare& share) {
  if (share.all > 0)
    return "worker " + std::to_string(share.first) + " of " + std::to_string(share.all);
  return quantity(here, "worker");
}

} // namespace

std::string sizes_text(const Problem& problem) {
  return problem.name() + ": " + std::to_string(problem.size(Section::train))
         + " examples to train on, " + std::to_string(problem.size(Section::validation))
         + " to validate, " + std::to_string(problem.size(Section::test)) + " to test";
}

std::string wrapped_to_window(const std::string& text) {
  constexpr auto widest = 80; // columns
  return wrapped(text, ";", std::min(width_of_window(widest), widest), "  ");
}

std::string headline(const RunConfig& config, const Problem& problem, const Model& model,
                     const ProcessShare& share) {
  return sizes_text(problem) + "; " + model.name() + " with "
         + std::to_string(model.layout().size()) + " parameters" + shares_of(model) + "; "
         + config.tree.find("optimizer")->find("name")->text() + "; "
         + who_trains(config.training.workers, share) + "; seed "
         + std::to_string(config.training.seed);
}

std::string result_text(const SessionResult& result, const std::string& folder) {
  return text_of_result(result_json(result, folder));
}

std::string text_of_result(const std::string& written) try {
  const auto json = Json::parse(written);
  std::string text;
  const auto line = [&text](const std::string& name, const std::string& value) {
    text += (text.empty() ? "" : "\n") + fmt::format("{:<16} ", name) + value;
  };
  const auto undefined = json.value("undefined", std::vector<std::string>{});
  const auto metrics = json.value("test", Json::object());
  for (const auto& [name, value] : metrics.items())
    line("test " + name, metric_text(name, number_from(value), undefined));
  if (const auto state = json.find("state"); state != json.end())
    line("state", "the best: after " + quantity(state->value("batches", Step{0}), "batch", "es")
                    + ", epoch " + std::to_string(state->value("epochs", Epoch{0})) + " ("
                    + state->value("file", "") + ", by early stopping)");
  line("trained",
       quantity(json.value("epochs", Epoch{0}), "epoch") + ", "
         + quantity(json.value("batches", Step{0}), "batch", "es") + ", "
         + quantity(json.value("examples", std::uint64_t{0}), "example") + " in "
         + fmt::format("{:.1f} s ({:.0f} examples/s)", number_from(json.value("seconds", Json{})),
                       number_from(json.value("examples_per_second", Json{}))));
  if (const auto skipped = json.value("skipped", std::uint64_t{0}); skipped > 0)
    line("skipped", quantity(skipped, "batch", "es") + " whose loss was not finite");
  const auto reason = json.value("reason", ""), status = json.value("status", "");
  line("ended", reason);
  if (!status.empty() && status != reason)
    line("status", status);
  line("parameters", json.value("parameters", ""));
  line("run", json.value("run", ""));
  return text;
} catch (const Json::exception&) {
  return "";
}

std::string folded_results(const std::string& results, std::size_t columns) {
  constexpr std::size_t names = 17; // columns before the values
  const std::string below = "\n" + std::string(names, ' ');
  std::string folded;
  std::istringstream lines{results};
  for (std::string line; std::getline(lines, line);) {
    folded += folded.empty() ? "" : "\n";
    if (line.size() <= names || columns <= names) {
      folded += line;
      continue;
    }
    std::istringstream values{wrapped(line.substr(names), ",", columns - names)};
    std::string value;
    for (auto first = true; std::getline(values, value); first = false)
      folded += (first ? line.substr(0, names) : below) + value;
  }
  return folded;
}

std::string shown_results(const std::string& results) {
  return isatty(STDOUT_FILENO) == 1
           ? folded_results(results, static_cast<std::size_t>(width_of_window(80)))
           : results;
}

std::string result_json(const SessionResult& result, const std::string& folder) {
  Json json;
  json["outcome"] = to_string(result.outcome);
  json["reason"] = result.reason;
  if (result.outcome == Outcome::interrupted)
    json["asked_to_end"] = result.asked_to_end;
  if (!result.status.empty())
    json["status"] = result.status;
  if (result.test)
    for (const auto& metric : result.test->metrics)
      json["test"][metric.name] = number(metric.value);
  if (result.test && !result.test->undefined.empty())
    json["undefined"] = result.test->undefined;
  if (result.best)
    json["state"] = {{"file", result.best->file},
                     {"batches", result.best->position.batches},
                     {"epochs", result.best->position.epochs}};
  const auto sums = sums_of(result);
  json["epochs"] = sums.epochs;
  json["batches"] = sums.batches;
  json["examples"] = sums.examples;
  if (sums.skipped > 0)
    json["skipped"] = sums.skipped;
  json["seconds"] = number(sums.seconds);
  json["examples_per_second"] = number(rate(sums));
  for (const auto& worker : result.finished) {
    Json entry;
    entry["worker"] = worker.worker;
    entry["outcome"] = to_string(worker.outcome);
    entry["causes"] = worker.causes;
    if (!worker.error.empty())
      entry["error"] = worker.error;
    for (const auto& extension : worker.subscriptions)
      entry["extensions"].push_back({{"name", extension.name},
                                     {"events", extension.sent},
                                     {"lost", extension.lost},
                                     {"waited_seconds", number(extension.waited_seconds)}});
    json["workers"].push_back(std::move(entry));
  }
  json["parameters"] = fingerprint(result.parameters.values);
  json["run"] = folder;
  return json.dump();
}

std::string test_text(const TestResult& test) {
  std::string text;
  for (const auto& [path, value] : test.settings)
    text += fmt::format("{:<16} ", "with") + path + "=" + value + "\n";
  for (const auto& [metric, value] : test.metrics)
    text += fmt::format("{:<16} ", to_string(test.section) + " " + metric)
            + metric_text(metric, value, test.undefined) + "\n";
  return text + fmt::format("{:<16} ", "tested") + std::to_string(test.examples) + " examples in "
         + quantity(test.episodes, "batch", "es") + ", " + fmt::format("{:.1f} s", test.seconds)
         + (test.model.empty() ? "" : ", the model in " + test.model)
         + fmt::format("\n{:<16} ", "folder") + test.folder;
}

std::string test_json(const TestResult& test) {
  Json json;
  for (const auto& [path, value] : test.settings)
    json["settings"][path] = setting_json(value);
  for (const auto& [metric, value] : test.metrics)
    json[to_string(test.section)][metric] = number(value);
  if (!test.undefined.empty())
    json["undefined"] = test.undefined;
  json["examples"] = test.examples;
  json["episodes"] = test.episodes;
  json["seconds"] = number(test.seconds);
  if (!test.model.empty())
    json["model"] = test.model;
  json["folder"] = test.folder;
  return json.dump();
}

std::string evaluation_text(const VersionsEvaluated& evaluated, const std::string& section,
                            const std::string& folder) {
  std::string text;
  const auto line = [&](const std::string& name, const MeasuredVersion& measured) {
    text += fmt::format("{:<16} ", name) + "version " + std::to_string(measured.version);
    for (const auto& metric : measured.metrics)
      text += ", " + section + " " + metric.name + " "
              + metric_text(metric.name, metric.value, measured.undefined);
    text += "\n";
  };
  if (evaluated.measured > 0) {
    line("best", evaluated.best);
    line("last", evaluated.last);
  }
  return text + fmt::format("{:<16} ", "measured") + quantity(evaluated.measured, "version") + ", "
         + std::to_string(evaluated.skipped) + " skipped\n" + fmt::format("{:<16} ", "ended")
         + evaluated.reason + "\n" + fmt::format("{:<16} ", "run") + folder;
}

std::string evaluation_json(const VersionsEvaluated& evaluated, const std::string& section,
                            const std::string& folder) {
  Json json;
  json["outcome"] = to_string(evaluated.outcome);
  json["reason"] = evaluated.reason;
  json["measured"] = evaluated.measured;
  json["skipped"] = evaluated.skipped;
  const auto add = [&](const std::string& name, const MeasuredVersion& measured) {
    json[name]["version"] = measured.version;
    json[name]["seconds"] = number(measured.seconds);
    for (const auto& metric : measured.metrics)
      json[name][section][metric.name] = number(metric.value);
    if (!measured.undefined.empty())
      json[name]["undefined"] = measured.undefined;
  };
  if (evaluated.measured > 0) {
    add("best", evaluated.best);
    add("last", evaluated.last);
  }
  json["run"] = folder;
  return json.dump();
}

} // namespace troupe
