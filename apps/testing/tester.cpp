#include "apps/testing/tester.hpp"

#include "apps/folder/problem_file.hpp"
#include "apps/folder/run_folder.hpp"
#include "apps/run_config/multi_tests.hpp"
#include "apps/run_config/read_run_config.hpp"
#include "apps/session/run_problem.hpp"
#include "apps/session/same_rows.hpp"
#include "apps/session/trained_model.hpp"
#include "apps/testing/test_files.hpp"
#include "base/files/private_files.hpp"
#include "base/text/text.hpp"
#include "extensions/monitoring/sample_sheet.hpp"
#include "extensions/support/extension_kind.hpp"
#include "model/training/batch_statistics.hpp"
#include "model/training/evaluation_pass.hpp"

#include <algorithm>
#include <chrono>
#include <stdexcept>

namespace troupe {

namespace {

namespace fs = std::filesystem;
using TestClock = std::chrono::steady_clock;

/// A test's folder, removed again unless the test completes.
class TestFolder {
public:
  explicit TestFolder(fs::path path) : path_(std::move(path)) {}
  ~TestFolder() {
    std::error_code ignored;
    if (!kept_)
      fs::remove_all(path_, ignored);
  }
  TestFolder(const TestFolder&) = delete;
  TestFolder& operator=(const TestFolder&) = delete;

  const fs::path& path() const { return path_; }
  void keep() { kept_ = true; }

private:
  fs::path path_;
  bool kept_ = false;
};

/// The number of batches to measure: those of the section, or fewer if the configuration says so.
Step episodes_of_test(const TestingOptions& testing, Index examples, Index batch_size) {
  const auto all = static_cast<Step>((examples + batch_size - 1) / batch_size);
  return testing.max_test_episodes < 0
           ? all
           : std::min(all, static_cast<Step>(testing.max_test_episodes));
}

/// The parameters' file relative to the run's folder.
std::string model_in_run(const NamedParameters& parameters, const TesterOptions& options,
                         const fs::path& folder) {
  const auto from = parameters.metadata.find("run");
  const fs::path file = from == parameters.metadata.end() ? options.run : from->second;
  std::error_code error;
  const auto relative = fs::relative(file, folder, error);
  return error ? file.string() : relative.string();
}

/// As the run's own extension shows samples, or by default.
SampleView samples_of(const RunConfig& config) {
  SampleView view;
  for (const auto& extension : config.extensions)
    if (auto own = hook_answer(extension, &RunHooks<>::samples))
      view = *std::move(own);
  return view;
}

std::string warning_of_test(const TestingOptions& testing, Step episodes) {
  if (testing.max_test_episodes < 0 || static_cast<Step>(testing.max_test_episodes) == episodes)
    return "";
  return "testing.max_test_episodes is " + std::to_string(testing.max_test_episodes)
         + ", but the section has " + quantity(episodes, "batch", "es") + "; it is reduced to that";
}

std::string joined_warnings(const std::string& one, const std::string& other) {
  return one.empty() || other.empty() ? one + other : one + "; " + other;
}

/// @throws ConfigError if there are no examples to test on.
void check_testable(const Problem& problem, Section section) {
  if (problem.size(section) == 0)
    throw ConfigError("problem '" + problem.name() + "' has no examples in its section '"
                      + to_string(section) + "' to test on; give it some, or test another section");
}

/// Measures the whole pass. @returns the statistics; nothing if `keep_going`, which receives the
/// number of examples so far, ended it.
std::optional<TestStatistics> measure(EvaluationPass& pass, const Problem& problem,
                                      const Model& model, const Block& parameters,
                                      const std::function<bool(Index)>& keep_going) {
  // A clone: a model that carries a state from batch to batch may predict each batch only once.
  const auto counting = model.clone();
  const auto sources = statistics_sources(problem, *counting);
  TestStatistics statistics;
  for (Metrics batch; !pass.done();) {
    const auto before = pass.examples();
    pass.step(batch);
    BatchMetrics::Values own;
    if (!sources.empty())
      own = statistics_of_batch(sources, *counting, parameters.view(), pass.batch());
    statistics.add(batch, pass.examples() - before, std::move(own));
    if (!keep_going(pass.examples()))
      return {};
  }
  return statistics;
}

} // namespace

std::vector<RunConfig> configurations_of_tests(const ConfigSources& sources) {
  std::vector<RunConfig> configs;
  for (auto& tree : trees_of_tests(read_run_config(sources).tree)) {
    ConfigSources one;
    one.settings = std::move(tree);
    configs.push_back(read_run_config(one));
  }
  return configs;
}

Tester::Tester(TesterOptions options, ProblemCache& problems)
  : options_(std::move(options)),
    problems_(problems),
    parameters_(trained_parameters(options_.run)) {}

std::optional<TestResult> Tester::test(const RunConfig& config, const Continue& keep_going) const {
  const auto section = options_.section;
  check_same_rows(options_.run, config.tree);
  const auto& wanted = *config.tree.find("problem");
  const auto run = folder_of_run(options_.run);
  const auto fit = fit_in(run, wanted);
  const auto problem = sampled(problems_.get(config, fit), config, section);
  check_testable(*problem, section);
  const std::shared_ptr<Model> model
    = model_of_run(config.tree, problem->spec(), parameters_, options_.run);
  const auto samples = samples_of(config);
  const auto began = TestClock::now();
  TestFolder folder{create_test_folder(run, options_.tag)};
  write_test_configuration(
    folder.path(),
    {section, fingerprint(parameters_.values), model_in_run(parameters_, options_, run)},
    config.tree);
  const auto& testing = config.testing;
  const auto batch_size = EvaluationPass::examples_per_batch(problem->spec(), testing.batch_size);
  const auto episodes = episodes_of_test(testing, problem->size(section), batch_size);
  const auto all = std::min(problem->size(section), static_cast<Index>(episodes) * batch_size);
  EvaluationPass pass{problem, model, parameters_.values, section, batch_size, episodes};
  std::optional<TestStatistics> statistics;
  try {
    statistics = measure(pass, *problem, *model, parameters_.values,
                         [&](Index done) { return keep_going(done, all); });
  } catch (const std::invalid_argument& e) { // for example a token that is unknown to the model
    throw DataError("section '" + to_string(section) + "' of problem '" + problem->name()
                    + "' cannot be measured: " + e.what());
  }
  if (!statistics)
    return {};
  TestResult result;
  result.section = section;
  result.model = model_in_run(parameters_, options_, run);
  result.metrics = pass.metrics().values();
  result.undefined = pass.metrics().undefined();
  result.examples = pass.examples();
  result.episodes = statistics->episodes();
  result.warning = joined_warnings(warning_of_test(testing, episodes),
                                   changed_data(run, fit, *problem, config.tree));
  result.folder = folder.path().string();
  if (options_.visualize) {
    make_private_folder(folder.path() / samples.folder);
    write_samples(
      folder.path() / samples.folder / to_string(section),
      {*problem, *model, parameters_.values.view(), section, samples.examples, samples.scale});
  }
  result.seconds = std::chrono::duration<double>(TestClock::now() - began).count();
  write_test_statistics(folder.path(), *statistics, result);
  folder.keep();
  return result;
}

} // namespace troupe
