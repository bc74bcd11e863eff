// What a test of a model leaves in its folder, test_<time>[_tag] of the run, and how it is read.
#pragma once

#include "apps/session/result_text.hpp"
#include "apps/testing/test_statistics.hpp"
#include "base/config/node.hpp"

#include <filesystem>
#include <map>
#include <string>
#include <vector>

namespace troupe {

/// What a test is about, as the first line of its configuration says it:
///
///   # section test, parameters 0123456789abcdef, model models/model_best.bin
struct TestSubject {
  Section section = Section::test;
  std::string parameters; ///< their fingerprint
  std::string model;      ///< the file that they are from, from the run's folder
  FIELDS(section, parameters, model);
};

std::string to_string(const TestSubject& subject);
bool from_text(std::string_view text, TestSubject& subject); ///< false for another line

/// Writes testing_configuration.yaml, whose first line is the subject. @throws FileError
void write_test_configuration(const std::filesystem::path& folder, const TestSubject& subject,
                              const config::Node& tree);

/// Writes testing_statistics.csv and, last, testing_set_agg_statistics.csv. @throws FileError
void write_test_statistics(const std::filesystem::path& folder, const TestStatistics& statistics,
                           const TestResult& result);

/// One test of a run, as its folder has it.
struct RunTest {
  std::string configuration;             ///< the file
  std::string model;                     ///< the file of the parameters
  std::string time;                      ///< when it began, "2026-01-31T12:00:00Z"
  std::map<std::string, double> metrics; ///< of the aggregated line, by column, without `episode`
};

/// The tests of a run's test section, in the order of time. One that is older than its model's file
/// was of another model, and does not count; nor does what is not whole.
std::vector<RunTest> read_tests(const std::filesystem::path& run);

/// Whether the test had these settings. @param tree as write_test_configuration took it
bool has_settings(const RunTest& test, const config::Node& tree);

} // namespace troupe
