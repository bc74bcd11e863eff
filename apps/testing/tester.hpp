// Tests a trained run; used by troupe test and troupe grid test.
#pragma once

#include "apps/config/config_sources.hpp"
#include "apps/run_config/run_config.hpp"
#include "apps/session/result_text.hpp"
#include "apps/testing/problem_cache.hpp"
#include "model/formats/named_parameters.hpp"

#include <functional>
#include <optional>
#include <string>
#include <vector>

namespace troupe {

/// The configuration of each test in `testing.multi_tests`; one if it lists none.
/// @throws ConfigError
std::vector<RunConfig> configurations_of_tests(const ConfigSources& sources);

struct TesterOptions {
  std::string run; ///< as `trained_parameters` takes it
  Section section = Section::test;
  std::string tag;        ///< appended to the time in the names of the tests' folders
  bool visualize = false; ///< also writes samples: images or texts of inputs and predictions
};

/// Measures the parameters of a run under one configuration after another. Each test creates a
/// folder in the run with the files of test_files.hpp and, with `visualize`, samples/<section>.png
/// or .txt in the sizes of the configuration's extension `samples`
/// (extensions/monitoring/samples.hpp).
class Tester {
public:
  /// Called after each batch. @returns whether to continue
  using Continue = std::function<bool(Index done, Index all)>;

  /// @param problems has to outlive it
  /// @throws IoError, DataError for parameters that cannot be read.
  Tester(TesterOptions options, ProblemCache& problems);

  /// @returns nothing if `keep_going` ended it; then it leaves no files.
  /// @throws ConfigError, DataError, IoError, IoError if the test cannot be measured or written.
  std::optional<TestResult> test(const RunConfig& config, const Continue& keep_going) const;

private:
  TesterOptions options_;
  ProblemCache& problems_;
  NamedParameters parameters_;
};

} // namespace troupe
