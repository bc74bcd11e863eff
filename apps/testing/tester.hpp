// The one way to test what a run has trained: troupe test and troupe grid test take it.
#pragma once

#include "apps/config/config_sources.hpp"
#include "apps/config/run_config.hpp"
#include "apps/session/result_text.hpp"
#include "apps/testing/problem_cache.hpp"
#include "model/formats/named_parameters.hpp"

#include <functional>
#include <optional>
#include <string>
#include <vector>

namespace troupe {

/// The configuration of each test that `testing.multi_tests` asks for, one where it asks for none.
/// @throws ConfigError
std::vector<RunConfig> configurations_of_tests(const ConfigSources& sources);

struct TesterOptions {
  std::string run; ///< as `trained_parameters` takes it
  Section section = Section::test;
  std::string tag;        ///< behind the time in the names of the tests' folders
  bool visualize = false; ///< also pictures or texts of what the model sees and answers
};

/// Measures the parameters of a run under one configuration after the other. Each test leaves a
/// folder in the run with the files of test_files.hpp, and with `visualize` samples/<section>.png
/// or .txt, in the sizes of the configuration's extension `samples`
/// (extensions/monitoring/samples.hpp).
class Tester {
public:
  /// Called after each batch. @returns whether to go on
  using GoOn = std::function<bool(Index done, Index all)>;

  /// @param problems outlives it
  /// @throws FileError, DataError for parameters that cannot be read.
  Tester(TesterOptions options, ProblemCache& problems);

  /// @returns nothing where `go_on` ended it; it has then left nothing behind.
  /// @throws ConfigError, DataError, FileError, IoError for what cannot be measured or written.
  std::optional<TestResult> test(const RunConfig& config, const GoOn& go_on) const;

private:
  TesterOptions options_;
  ProblemCache& problems_;
  NamedParameters parameters_;
};

} // namespace troupe
