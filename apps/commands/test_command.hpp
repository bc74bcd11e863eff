// troupe test: measures what a run has trained on a section of the problem.
#pragma once

#include <string>
#include <vector>

namespace CLI { // NOLINT(readability-identifier-naming): the library's
class App;
}

namespace troupe {

struct TestCommand {
  std::string run;                ///< as `trained_parameters` takes it
  std::vector<std::string> words; ///< configuration files and overrides, over the run's own
  std::string section = "test";
  std::string tag;        ///< behind the time in the name of the test's folder
  bool visualize = false; ///< also what the model sees and answers
  bool json = false;      ///< the result as one line of JSON for each test
  bool quiet = false;
};

void add_test(CLI::App& app, TestCommand& command);

/// Leaves a folder in the run for each test (tester.hpp). At Ctrl-C it ends after the batch, and
/// the test under way leaves nothing.
/// @returns the exit code of the program. @throws Failure, FileError, DataError for what cannot be.
int test_model(const TestCommand& command);

} // namespace troupe
