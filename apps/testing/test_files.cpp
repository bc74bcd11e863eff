#include "apps/testing/test_files.hpp"

#include "apps/config/print.hpp"
#include "base/files/durable_file.hpp"
#include "base/files/file_content.hpp"
#include "messages/log/statistics_file.hpp"

#include <algorithm>
#include <array>
#include <cstdlib>
#include <fstream>
#include <optional>

namespace troupe {

namespace {

namespace fs = std::filesystem;

constexpr auto test_configuration = "testing_configuration.yaml";
constexpr auto episodes_of_test_file = "testing_statistics.csv";
constexpr auto aggregate_of_test_file = "testing_set_agg_statistics.csv";
constexpr std::string_view test_folder_begins = "test_";
constexpr std::array<std::string_view, 3> subject_parts{"# section ", ", parameters ", ", model "};

/// "2026-01-31T12:00:00Z" from "test_2026-01-31T12-00-00Z_tag"; nothing for other names.
std::optional<std::string> time_of_test(const std::string& folder) {
  constexpr std::size_t length = 20, hour_ends = 13, minute_ends = 16;
  if (!folder.starts_with(test_folder_begins) || folder.size() < test_folder_begins.size() + length)
    return {};
  auto time = folder.substr(test_folder_begins.size(), length);
  time[hour_ends] = time[minute_ends] = ':';
  return time;
}

/// The numbers of a file with a header and one line; none if it is incomplete.
std::map<std::string, double> numbers_of_line(const fs::path& file) {
  std::map<std::string, double> numbers;
  const auto rows = read_statistics(file);
  if (rows.size() == 2 && rows[0].size() == rows[1].size())
    for (std::size_t i = 0; i < rows[0].size(); ++i)
      // "episode" counts the episodes, as episodes_aggregated does; undefined values are empty.
      if (rows[0][i] != "episode" && !rows[1][i].empty())
        numbers[rows[0][i]] = std::strtod(rows[1][i].c_str(), nullptr);
  return numbers;
}

bool is_older(const fs::path& file, const fs::path& other) {
  std::error_code gone, ignored;
  const auto time = fs::last_write_time(other, gone);
  return !gone && fs::last_write_time(file, ignored) < time;
}

std::optional<RunTest> read_test(const fs::path& run, const fs::path& folder) {
  const auto time = time_of_test(folder.filename().string());
  const auto aggregate = folder / aggregate_of_test_file;
  TestSubject subject;
  std::ifstream configuration{folder / test_configuration};
  std::string line;
  if (!time || !std::getline(configuration, line) || !from_text(line, subject)
      || subject.section != Section::test || is_older(aggregate, run / subject.model))
    return {};
  RunTest test{(folder / test_configuration).string(), (run / subject.model).string(), *time,
               numbers_of_line(aggregate)};
  return test.metrics.empty() ? std::optional<RunTest>{} : test;
}

} // namespace

std::string to_string(const TestSubject& subject) {
  std::string text{subject_parts[0]};
  text += to_string(subject.section);
  (text += subject_parts[1]) += subject.parameters;
  return (text += subject_parts[2]) += subject.model;
}

bool from_text(std::string_view text, TestSubject& subject) {
  const auto parameters = text.find(subject_parts[1]), model = text.find(subject_parts[2]);
  if (!text.starts_with(subject_parts[0]) || parameters == std::string_view::npos
      || model == std::string_view::npos || model < parameters)
    return false;
  const auto section = text.substr(subject_parts[0].size(), parameters - subject_parts[0].size());
  if (!from_text(section, subject.section))
    return false;
  const auto begin = parameters + subject_parts[1].size();
  subject.parameters = text.substr(begin, model - begin);
  subject.model = text.substr(model + subject_parts[2].size());
  return true;
}

void write_test_configuration(const fs::path& folder, const TestSubject& subject,
                              const config::Node& tree) {
  write_file(folder / test_configuration, to_string(subject) + "\n" + config::to_yaml(tree));
}

void write_test_statistics(const fs::path& folder, const TestStatistics& statistics,
                           const TestResult& result) {
  write_file(folder / episodes_of_test_file, statistics.rows_csv());
  write_file(folder / aggregate_of_test_file,
             statistics.aggregate_csv(result.metrics, result.undefined));
}

std::vector<RunTest> read_tests(const fs::path& run) {
  std::vector<fs::path> folders;
  std::error_code none;
  for (const auto& entry : fs::directory_iterator(run, none))
    if (entry.path().filename().string().starts_with(test_folder_begins))
      folders.push_back(entry.path());
  std::sort(folders.begin(), folders.end());
  std::vector<RunTest> tests;
  for (const auto& folder : folders)
    if (auto test = read_test(run, folder))
      tests.push_back(std::move(*test));
  return tests;
}

bool has_settings(const RunTest& test, const config::Node& tree) {
  const auto text = file_content(test.configuration).value_or("");
  return text.substr(text.find('\n') + 1) == config::to_yaml(tree);
}

} // namespace troupe
