#include "apps/commands/test.hpp"

#include "apps/catalog/components.hpp"
#include "apps/folder/run_folder.hpp"
#include "apps/process/interrupts.hpp"
#include "apps/process/progress_line.hpp"
#include "apps/run_config/multi_tests.hpp"
#include "apps/run_config/read_run_config.hpp"
#include "apps/session/result_text.hpp"
#include "apps/session/same_rows.hpp"
#include "apps/session/trained_model.hpp"
#include "apps/testing/tester.hpp"
#include "extensions/display/progress_bar.hpp"

#include <CLI/CLI.hpp>
#include <unistd.h>

#include <chrono>
#include <iostream>
#include <mutex>
#include <utility>

namespace troupe {

namespace {

/// A progress bar on standard error for a test that takes longer than a second; in a file, a line
/// every 10 seconds.
class TestProgress {
public:
  explicit TestProgress(bool quiet) : quiet_(quiet) {}

  /// Clears the line for other output.
  void clear() { line_.clear(); }

  void show(Index done, Index all) {
    using Seconds = std::chrono::duration<double>;
    constexpr double between_redraws = 0.1, between_lines = 10; // s: on a terminal, in a file
    const auto seconds = Seconds(std::chrono::steady_clock::now() - began_).count();
    if (quiet_ || seconds < next_)
      return;
    next_ = seconds + (line_.redraws() ? between_redraws : between_lines);
    line_.show("test " + pass_text(done, all, seconds));
  }

private:
  bool quiet_;
  ProgressLine line_;
  std::chrono::steady_clock::time_point began_ = std::chrono::steady_clock::now();
  double next_ = 1; // s, from the beginning
};

/// Ends the program at Ctrl-C: a running test after its batch, so that it leaves no files;
/// otherwise at once.
class TestInterrupt {
public:
  TestInterrupt() {
    interrupts_.on_interrupt([this](int) {
      std::lock_guard lock{mutex_};
      stopped_ = true;
      if (!in_flight_)
        _exit(static_cast<int>(ExitCode::interrupted));
    });
  }

  /// Calls `test`, which polls `stopped`.
  template <class Test>
  auto during(Test test) {
    const InFlight here{*this};
    return test();
  }

  bool stopped() {
    std::lock_guard lock{mutex_};
    return stopped_;
  }

private:
  struct InFlight {
    explicit InFlight(TestInterrupt& owner) : owner(owner) { set(true); }
    ~InFlight() { set(false); }
    void set(bool in_flight) const {
      std::lock_guard lock{owner.mutex_};
      owner.in_flight_ = in_flight;
    }
    TestInterrupt& owner;
  };

  std::mutex mutex_;
  bool in_flight_ = false, stopped_ = false;
  Interrupts interrupts_; ///< the last member, so that it is destroyed first
};

ConfigSources test_sources(const TestCommand& command) {
  ConfigSources sources;
  sources.files.push_back(configuration_of_run(command.run));
  add_command_line(sources, command.arguments);
  return sources;
}

} // namespace

void add_test(CLI::App& app, TestCommand& command) {
  auto* sub = app.add_subcommand("test", "Evaluate a run's model on the test section");
  sub->add_option("run", command.run, "the run's folder, one of its files, or 'latest'")
    ->required();
  sub->add_option(
    "arguments", command.arguments,
    "configuration files and overrides as for train, on top of the run's configuration");
  sub->add_option("--section", command.section, "train, validation or test")->capture_default_str();
  sub->add_option("--tag", command.tag, "append this to the time in the name of the test's folder");
  sub->add_flag("--visualize", command.visualize,
                "also write a picture or a text of the model's inputs and predictions");
  sub->add_flag("--json", command.json, "print one line of JSON for each test");
  sub->add_flag("-q,--quiet", command.quiet, "do not show the progress");
  sub->footer(
    "\nEach test writes a folder in the run, test_<time>[_tag], with testing_configuration.yaml,\n"
    "testing_statistics.csv (a line for each batch) and testing_set_agg_statistics.csv (one "
    "line).\nCtrl-C deletes the files of the running test.\n"
    "\nExamples:\n  troupe test latest\n"
    "  troupe test runs/digits/mlp/2026-11-21T11-24-20Z/best.bin --tag best\n"
    "  troupe test latest --visualize\n"
    "  troupe test latest testing.max_test_episodes=5 problem.seed=1\n"
    "  troupe test latest \"testing.multi_tests={problem.seed: [1, 2, 3]}\"\n");
}

int test_model(const TestCommand& command) {
  TestInterrupt interrupt; // before other threads
  const auto configs = configurations_of_tests(test_sources(command));
  const auto settings = settings_of_tests(read_run_config(test_sources(command)).tree);
  for (const auto& config : configs)
    check_same_rows(command.run, config.tree); // before any of several tests writes its folder
  ProblemCache problems;
  const Tester tester{{command.run, section_from(command.section), command.tag, command.visualize},
                      problems};
  for (std::size_t i = 0; i < configs.size(); ++i) {
    TestProgress progress{command.quiet};
    const auto keep_going = [&](Index done, Index all) {
      progress.show(done, all);
      return !interrupt.stopped();
    };
    auto result = interrupt.during([&] { return tester.test(configs[i], keep_going); });
    progress.clear();
    if (!result) {
      std::cerr << "interrupted: the files of this test were deleted\n";
      return static_cast<int>(ExitCode::interrupted);
    }
    result->settings = settings.at(i);
    if (!result->warning.empty())
      std::cerr << "warning: " << result->warning << "\n";
    std::cout << (command.json ? test_json(*result) : shown_results(test_text(*result)))
              << std::endl;
  }
  return static_cast<int>(ExitCode::done);
}

} // namespace troupe
