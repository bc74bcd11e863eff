#pragma once

#include "apps/session/run_checks.hpp"
#include "apps/session/run_session.hpp"
#include "messages/evaluation/continuous_evaluation.hpp"

#include <string>
#include <utility>
#include <vector>

namespace troupe {

/// "digits: 20000 examples to train on, 4000 to validate, 4000 to test"
std::string sizes_text(const Problem& problem);

/// The same and "; mlp with 203530 parameters; adam; 1 worker; seed 17"; of a process that is one
/// of a cluster's "worker 0 of 2".
std::string headline(const RunConfig& config, const Problem& problem, const Model& model,
                     const ProcessShare& share = {});

/// The result of a run for people: a line per metric, what was trained, and where the run lies.
std::string result_text(const SessionResult& result, const std::string& folder);

/// The same of what result_json() has written; "" of what is damaged.
std::string text_of_result(const std::string& written);

/// The same for programs: one JSON object.
std::string result_json(const SessionResult& result, const std::string& folder);

/// A pass of a trained model over a section.
struct TestResult {
  Section section = Section::test;
  std::vector<std::pair<std::string, double>> metrics; ///< over all examples
  std::vector<std::string> undefined; ///< of these, whose value is 0/0 and stands for nothing
  Index examples = 0;
  Step episodes = 0; ///< batches
  double seconds = 0;
  std::string folder; ///< of the test's files
  std::vector<std::pair<std::string, std::string>>
    settings;          ///< of several tests, what this one has of its own: path and value
  std::string model;   ///< the file of the parameters, from the run's folder
  std::string warning; ///< of a configuration that could not be followed; "": it was
};

/// What a test has measured, for people and for programs.
std::string test_text(const TestResult& test);
std::string test_json(const TestResult& test);

/// What a continuous evaluator has found, for people and for programs.
std::string evaluation_text(const VersionsEvaluated& evaluated, const std::string& section,
                            const std::string& folder);
std::string evaluation_json(const VersionsEvaluated& evaluated, const std::string& section,
                            const std::string& folder);

/// 16 hexadecimal digits that differ where a bit of the parameters differs (XXH3).
std::string fingerprint(const Block& block);

} // namespace troupe
