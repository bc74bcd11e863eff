// The files of a test of a model, in the folder test_<time>[_tag] of the run.
#pragma once

#include "apps/session/result_text.hpp"
#include "apps/testing/test_statistics.hpp"
#include "base/config/node.hpp"

#include <filesystem>
#include <map>
#include <string>
#include <vector>

namespace troupe {

/// What a test measured, as the first line of its configuration says:
///
///   # section test, parameters 0123456789abcdef, model models/model_best.bin
struct TestSubject {
  Section section = Section::test;
  std::string parameters; ///< their fingerprint
  std::string model;      ///< the parameters' file, relative to the run's folder
  TROUPE_FIELDS(section, parameters, model);
};

std::string to_string(const TestSubject& subject);
bool from_text(std::string_view text, TestSubject& subject); ///< false for another line

/// Writes testing_configuration.yaml, whose first line is the subject. @throws IoError
void write_test_configuration(const std::filesystem::path& folder, const TestSubject& subject,
                              const config::Node& tree);

/// Writes testing_statistics.csv and, last, testing_set_agg_statistics.csv. @throws IoError
void write_test_statistics(const std::filesystem::path& folder, const TestStatistics& statistics,
                           const TestResult& result);

/// One test of a run, read from its folder.
struct RunTest {
  std::string configuration;             ///< the file
  std::string model;                     ///< the file of the parameters
  std::string time;                      ///< when it began, "2026-01-31T12:00:00Z"
  std::map<std::string, double> metrics; ///< the aggregated line by column, without `episode`
};

/// The tests of a run's test section, by time. A test older than its model's file measured another
/// model and is left out; so is an incomplete test.
std::vector<RunTest> read_tests(const std::filesystem::path& run);

/// Whether the test had these settings. @param tree as given to write_test_configuration
bool has_settings(const RunTest& test, const config::Node& tree);

} // namespace troupe
