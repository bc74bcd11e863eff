#pragma once

#include "apps/session/run_checks.hpp"
#include "apps/session/session_options.hpp"
#include "messages/evaluation/continuous_evaluation.hpp"

#include <cstddef>
#include <string>
#include <utility>
#include <vector>

namespace troupe {

/// "digits: 20000 examples to train on, 4000 to validate, 4000 to test"
std::string sizes_text(const Problem& problem);

/// The same and "; mlp with 203530 parameters; adam; 1 worker; seed 17"; for a process of a cluster
/// "worker 0 of 2".
std::string headline(const RunConfig& config, const Problem& problem, const Model& model,
                     const ProcessShare& share = {});

/// Wrapped at its semicolons to the window, or to 80 columns if it is wider.
std::string wrapped_to_window(const std::string& text);

/// The result of a run as text: a line per metric, what was trained, and the run's folder.
std::string result_text(const SessionResult& result, const std::string& folder);

/// The same from the output of result_json(); "" if that is damaged.
std::string text_of_result(const std::string& written);

/// The lines of results, each of at most so many columns: a longer one continues below its value. A
/// word, such as a path, stays whole.
std::string folded_results(const std::string& results, std::size_t columns);

/// The same for standard output: folded to the window, if it is a terminal.
std::string shown_results(const std::string& results);

/// The same for programs: one JSON object.
std::string result_json(const SessionResult& result, const std::string& folder);

/// A pass of a trained model over a section.
struct TestResult {
  Section section = Section::test;
  std::vector<std::pair<std::string, double>> metrics; ///< over all examples
  std::vector<std::string> undefined; ///< those with the value 0/0, which has no meaning
  Index examples = 0;
  Step episodes = 0; ///< batches
  double seconds = 0;
  std::string folder; ///< of the test's files
  std::vector<std::pair<std::string, std::string>>
    settings;          ///< of several tests, the settings of this one: path and value
  std::string model;   ///< the parameters' file, relative to the run's folder
  std::string warning; ///< about a configuration that could not be followed; "": none
};

/// The result of a test, as text and as JSON.
std::string test_text(const TestResult& test);
std::string test_json(const TestResult& test);

/// The result of a continuous evaluator, as text and as JSON.
std::string evaluation_text(const VersionsEvaluated& evaluated, const std::string& section,
                            const std::string& folder);
std::string evaluation_json(const VersionsEvaluated& evaluated, const std::string& section,
                            const std::string& folder);

} // namespace troupe
