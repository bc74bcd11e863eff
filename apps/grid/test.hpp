// troupe grid test: measures the models of a grid's runs on the test section.
#pragma once

#include "troupe/apps/grid/train.hpp"

#include <filesystem>
#include <map>
#include <optional>
#include <string>

namespace troupe {

/// One test of a run, as test-<number>.json in the run's folder has it.
struct RunTest {
  std::string file;                      ///< of the test
  std::string model;                     ///< the file of the parameters
  std::string time;                      ///< when it was done
  std::map<std::string, double> metrics; ///< by name: "loss", "accuracy"
};

/// The state of a run that counts as its best model: what early stopping saved as best.bin, else
/// the one at its end; nothing where there is none.
std::optional<std::filesystem::path> best_model(const std::filesystem::path& folder);

/// The tests in a run's folder, in their order; what cannot be read counts as not there.
std::vector<RunTest> read_tests(const std::filesystem::path& folder);

/// Tests the best model of each run that is done, so many times as the command says; a test that is
/// there already and newer than the model is not repeated.
/// @returns the exit code of the program. @throws Failure for what cannot begin.
int grid_test(const GridCommand& command);

} // namespace troupe
