// troupe test: evaluates a run's model on a section of the problem.
#pragma once

#include <string>
#include <vector>

namespace CLI { // NOLINT(readability-identifier-naming): the library's
class App;
}

namespace troupe {

struct TestCommand {
  std::string run; ///< as `trained_parameters` takes it
  std::vector<std::string>
    arguments; ///< configuration files and overrides, on top of the run's own
  std::string section = "test";
  std::string tag;        ///< appended to the time in the name of the test's folder
  bool visualize = false; ///< also show the model's inputs and predictions
  bool json = false;      ///< print one line of JSON for each test
  bool quiet = false;
};

void add_test(CLI::App& app, TestCommand& command);

/// Writes a folder in the run for each test (tester.hpp). At Ctrl-C it ends after the current
/// batch, and the running test leaves no files.
/// @returns the exit code of the program. @throws Failure, IoError, DataError
int test_model(const TestCommand& command);

} // namespace troupe
