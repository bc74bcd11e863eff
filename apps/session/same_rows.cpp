#include "apps/session/same_rows.hpp"

#include "apps/config/print.hpp"
#include "apps/config/tree.hpp"
#include "apps/config/yaml.hpp"
#include "apps/folder/run_folder.hpp"
#include "base/failure.hpp"
#include "base/text/number_in.hpp"
#include "model/data/fitted_problem.hpp"

#include <nlohmann/json.hpp>

#include <algorithm>
#include <array>
#include <filesystem>
#include <system_error>

namespace troupe {

namespace {

constexpr std::array files_of_problems{"path",        "images", "labels", "test_images",
                                       "test_labels", "inputs", "targets"};
constexpr std::array splits_of_problems{
  "split", "split_column", "split_seed", "validation_fraction", "test_fraction", "missing"};
constexpr std::array readings_of_problems{"label",         "task",  "ignore",    "categorical",
                                          "missing_words", "dates", "day_first", "standardize"};

std::string option_of(const config::Node& problem, const char* key) {
  return config::text_at(problem, {key});
}

bool is_same_problem(const config::Node& a, const config::Node& b) {
  return option_of(a, "name") == option_of(b, "name");
}

std::filesystem::path whole_path(const std::string& path) {
  std::error_code ignored; // then the path is used as given
  const auto whole
    = std::filesystem::weakly_canonical(std::filesystem::absolute(path, ignored), ignored);
  return ignored ? std::filesystem::path{path} : whole;
}

/// a/b.csv equals ./a/b.csv.
bool is_same_path(const std::string& a, const std::string& b) {
  return a == b || (!a.empty() && !b.empty() && whole_path(a) == whole_path(b));
}

/// 0.1 equals 0.10, and true equals yes.
bool means_the_same(const config::Node& a, const config::Node& b) {
  const auto x = number_in<double>(a.text()), y = number_in<double>(b.text());
  const auto on = switch_of(a), also_on = switch_of(b);
  return a == b || (x && y && *x == *y) || (on && on == also_on);
}

/// The first of the keys whose values differ.
template <class Keys>
const char* changed_key(const config::Node& trained, const config::Node& wanted, const Keys& keys) {
  for (const auto* key : keys) {
    const auto* before = trained.find(key);
    const auto* now = wanted.find(key);
    if (before != nullptr && now != nullptr && !means_the_same(*before, *now))
      return key;
  }
  return nullptr;
}

std::string given_text(const config::Node& value) {
  return value.is_scalar() ? value.text() : config::on_one_line(value);
}

std::string changed_text(const char* key, const config::Node& trained, const config::Node& wanted) {
  return std::string{"problem."} + key + " is " + given_text(*wanted.find(key))
         + ", but the run started with " + given_text(*trained.find(key));
}

/// "" if it does not say.
std::string data_of(const std::string& fit) {
  const auto json = nlohmann::json::parse(fit, nullptr, false);
  return json.is_object() && json.contains("data") && json["data"].is_string()
           ? json["data"].get<std::string>()
           : "";
}

} // namespace

bool same_files(const config::Node& a, const config::Node& b) {
  return is_same_problem(a, b)
         && std::all_of(files_of_problems.begin(), files_of_problems.end(), [&](const char* key) {
              return is_same_path(option_of(a, key), option_of(b, key));
            });
}

void check_same_rows(const config::Node& trained, const config::Node& wanted) {
  if (!is_same_problem(trained, wanted))
    return;
  if (const auto* key = changed_key(trained, wanted, readings_of_problems))
    throw ConfigError(changed_text(key, trained, wanted)
                      + "; its model only fits rows that are read that way; leave it as it was, or "
                        "begin a new run");
  const auto* key = changed_key(trained, wanted, splits_of_problems);
  if (key != nullptr && same_files(trained, wanted))
    throw ConfigError(changed_text(key, trained, wanted)
                      + "; other rows of the same data would then be tested on, and among them "
                        "rows that were trained on; leave it as it was, or give data of its own, "
                        "like problem.path=other.csv");
}

void check_same_rows(const std::string& run, const config::Node& tree) {
  const auto trained = config::read_yaml_file(configuration_of_run(run));
  if (const auto* problem = trained.find("problem"))
    check_same_rows(*problem, *tree.find("problem"));
}

std::string changed_data(const std::filesystem::path& folder, const std::string& fit,
                         const Problem& problem, const config::Node& tree) {
  if (fit.empty() || data_of(fit) == data_of(fit_of(problem)))
    return "";
  const auto begun = config::read_yaml_file(folder / "config.yaml");
  const auto* before = begun.find("problem");
  if (before == nullptr || !same_files(*before, *tree.find("problem")))
    return "";
  return "the data of problem '" + problem.name() + "' differ from those that the run in '"
         + folder.string()
         + "' started with, though the path is the same; rows that were trained on may be "
           "among those to test on";
}

} // namespace troupe
