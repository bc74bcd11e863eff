#include "troupe/apps/same_rows.hpp"

#include "troupe/apps/config/tree.hpp"
#include "troupe/apps/config/yaml.hpp"
#include "troupe/apps/exit_codes.hpp"
#include "troupe/apps/trained_model.hpp"

#include <algorithm>
#include <array>
#include <charconv>
#include <optional>

namespace troupe {

namespace {

constexpr std::array files_of_problems{"path",        "images", "labels", "test_images",
                                       "test_labels", "inputs", "targets"};
constexpr std::array splits_of_problems{"split_seed", "validation_fraction", "test_fraction",
                                        "missing"};

std::string option_of(const config::Node& problem, const char* key) {
  return config::text_at(problem, {key});
}

/// 0.1 is 0.10.
bool means_the_same(const std::string& a, const std::string& b) {
  const auto number = [](const std::string& text) -> std::optional<double> {
    double value = 0;
    const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
    return error == std::errc{} && end == text.data() + text.size() ? std::optional{value}
                                                                    : std::nullopt;
  };
  const auto x = number(a), y = number(b);
  return a == b || (x && y && *x == *y);
}

} // namespace

bool same_files(const config::Node& a, const config::Node& b) {
  const auto same = [&](const char* key) { return option_of(a, key) == option_of(b, key); };
  return same("name") && std::all_of(files_of_problems.begin(), files_of_problems.end(), same);
}

void check_same_rows(const config::Node& trained, const config::Node& wanted) {
  if (!same_files(trained, wanted))
    return;
  for (const auto* key : splits_of_problems) {
    const auto before = option_of(trained, key), now = option_of(wanted, key);
    if (trained.find(key) == nullptr || means_the_same(before, now))
      continue;
    throw ConfigError(std::string{"problem."} + key + " is " + now + ", but the run was begun with "
                      + before
                      + "; other rows of the same data would then be tested on, and among them "
                        "rows that were trained on; leave it as it was, or give data of its own, "
                        "like problem.path=other.csv");
  }
}

void check_same_rows(const std::string& run, const config::Node& tree) {
  const auto trained = config::read_yaml_file(configuration_of_run(run));
  if (const auto* problem = trained.find("problem"))
    check_same_rows(*problem, *tree.find("problem"));
}

} // namespace troupe
