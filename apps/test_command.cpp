#include "troupe/apps/test_command.hpp"

#include "troupe/apps/components.hpp"
#include "troupe/apps/config/print.hpp"
#include "troupe/apps/grid/problem_cache.hpp"
#include "troupe/apps/multi_tests.hpp"
#include "troupe/apps/result_text.hpp"
#include "troupe/apps/run_folder.hpp"
#include "troupe/apps/run_problem.hpp"
#include "troupe/apps/test_statistics.hpp"
#include "troupe/apps/trained_model.hpp"
#include "troupe/messages/durable_file.hpp"
#include "troupe/model/evaluation_pass.hpp"

#include <CLI/CLI.hpp>
#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <iostream>
#include <stdexcept>

namespace troupe {

namespace {

using TestClock = std::chrono::steady_clock;

/// A line on standard error about a test that takes longer than a second.
class TestProgress {
public:
  TestProgress(Index examples, bool quiet)
    : examples_(examples),
      quiet_(quiet),
      terminal_(isatty(STDERR_FILENO) != 0) {}

  ~TestProgress() {
    if (shown_ && terminal_)
      std::cerr << "\r\x1b[K" << std::flush;
  }

  double seconds() const {
    return std::chrono::duration<double>(TestClock::now() - began_).count();
  }

  void tell(Index done) {
    constexpr double between_redraws = 0.1, between_lines = 10; // s: on a terminal, in a file
    if (quiet_ || seconds() < next_)
      return;
    next_ = seconds() + (terminal_ ? between_redraws : between_lines);
    shown_ = true;
    std::cerr << (terminal_ ? "\r\x1b[K" : "") << "tested " << done << " of " << examples_
              << " examples" << (terminal_ ? "" : "\n") << std::flush;
  }

private:
  Index examples_;
  bool quiet_, terminal_, shown_ = false;
  TestClock::time_point began_ = TestClock::now();
  double next_ = 1; // s, from the beginning
};

/// A test's folder, which goes away again unless the test comes to its end.
class TestFolder {
public:
  explicit TestFolder(std::filesystem::path path) : path_(std::move(path)) {}
  ~TestFolder() {
    std::error_code ignored;
    if (!kept_)
      std::filesystem::remove_all(path_, ignored);
  }
  TestFolder(const TestFolder&) = delete;
  TestFolder& operator=(const TestFolder&) = delete;

  const std::filesystem::path& path() const { return path_; }
  void keep() { kept_ = true; }

private:
  std::filesystem::path path_;
  bool kept_ = false;
};

ConfigSources test_sources(const TestCommand& command) {
  ConfigSources sources;
  sources.files.push_back(configuration_of_run(command.run));
  add_command_line(sources, command.words);
  return sources;
}

/// The configuration of each test.
std::vector<RunConfig> configurations_of_tests(const TestCommand& command) {
  std::vector<RunConfig> configs;
  for (auto& tree : trees_of_tests(read_run_config(test_sources(command)).tree)) {
    ConfigSources sources;
    sources.settings = std::move(tree);
    configs.push_back(read_run_config(sources));
  }
  return configs;
}

/// How many batches are measured: those of the section, or fewer where the configuration says so.
Step episodes_of_test(const TestingOptions& testing, Index examples) {
  const auto all = static_cast<Step>((examples + testing.batch_size - 1) / testing.batch_size);
  if (testing.max_test_episodes < 0)
    return all;
  const auto wanted = static_cast<Step>(testing.max_test_episodes);
  if (wanted > all)
    std::cerr << "warning: testing.max_test_episodes is " << wanted << ", but the section has "
              << all << (all == 1 ? " batch" : " batches") << "; it is reduced to that\n";
  return std::min(wanted, all);
}

/// Measures models and writes what they measure into folders of a run.
class Tester {
public:
  explicit Tester(const TestCommand& command)
    : command_(command),
      section_(section_from(command.section)),
      parameters_(trained_parameters(command.run)) {}

  TestResult test(const RunConfig& config) {
    const auto problem = sampled(problems_.get(*config.tree.find("problem")), config, section_);
    const auto examples = problem->size(section_);
    if (examples == 0)
      throw ConfigError("problem '" + problem->name() + "' has no examples in its section '"
                        + command_.section + "' to test on; give another --section");
    const std::shared_ptr<Model> model
      = model_of_run(config.tree, problem->spec(), parameters_, command_.run);
    const auto episodes = episodes_of_test(config.testing, examples);
    TestFolder folder{create_test_folder(folder_of_run(command_.run), command_.tag)};
    write_file(folder.path() / "testing_configuration.yaml",
               "# section " + command_.section + ", parameters " + fingerprint(parameters_.values)
                 + "\n" + config::to_yaml(config.tree));
    EvaluationPass pass{problem, model, parameters_.values, section_, config.testing.batch_size,
                        episodes};
    try {
      auto result
        = measure(pass, folder.path(),
                  std::min(examples, static_cast<Index>(episodes) * config.testing.batch_size));
      folder.keep();
      return result;
    } catch (const std::invalid_argument& e) { // a token that the model does not know
      throw DataError("section '" + command_.section + "' of problem '" + problem->name()
                      + "' cannot be measured: " + e.what());
    }
  }

private:
  TestResult measure(EvaluationPass& pass, const std::filesystem::path& folder, Index examples) {
    TestProgress progress{examples, command_.quiet};
    TestStatistics statistics;
    Metrics batch;
    while (!pass.done()) {
      const auto before = pass.examples();
      pass.step(batch);
      statistics.add(batch, pass.examples() - before);
      progress.tell(pass.examples());
    }
    TestResult result;
    result.section = section_;
    result.metrics = pass.metrics().values();
    result.examples = pass.examples();
    result.episodes = statistics.episodes();
    result.seconds = progress.seconds();
    result.folder = folder.string();
    write_file(folder / "testing_statistics.csv", statistics.rows_csv());
    write_file(folder / "testing_set_agg_statistics.csv", statistics.aggregate_csv(result.metrics));
    return result;
  }

  const TestCommand& command_;
  Section section_;
  NamedParameters parameters_;
  ProblemCache problems_;
};

} // namespace

void add_test(CLI::App& app, TestCommand& command) {
  auto* sub = app.add_subcommand("test", "Measure what a run has trained on the test section");
  sub->add_option("run", command.run, "the run's folder, one of its files, or 'latest'")
    ->required();
  sub->add_option("words", command.words,
                  "configuration files and changes as for train, over the run's configuration");
  sub->add_option("--section", command.section, "train, validation or test")->capture_default_str();
  sub->add_option("--tag", command.tag, "behind the time in the name of the test's folder");
  sub->add_flag("--json", command.json, "the result as one line of JSON for each test");
  sub->add_flag("-q,--quiet", command.quiet, "no progress");
  sub->footer(
    "\nEach test leaves a folder in the run, test_<time>[_tag], with testing_configuration.yaml,\n"
    "testing_statistics.csv (a line for each batch) and testing_set_agg_statistics.csv (one "
    "line).\n"
    "\nExamples:\n  troupe test latest\n"
    "  troupe test runs/digits/mlp/2026-11-21T11-24-20Z/best.bin --tag best\n"
    "  troupe test latest testing.max_test_episodes=5 problem.seed=1\n"
    "  troupe test latest \"testing.multi_tests={problem.seed: [1, 2, 3]}\"\n"
    "\nExit codes: 0 done; 2 usage; 65 bad data, or parameters of another model; 74 input/output; "
    "78 configuration.\n");
}

int test_model(const TestCommand& command) {
  const auto configs = configurations_of_tests(command);
  Tester tester{command};
  for (const auto& config : configs) {
    const auto result = tester.test(config);
    std::cout << (command.json ? test_json(result) : test_text(result)) << std::endl;
  }
  return static_cast<int>(ExitCode::done);
}

} // namespace troupe
