#include "apps/commands/test_command.hpp"

#include "apps/config/components.hpp"
#include "apps/config/multi_tests.hpp"
#include "apps/process/interrupts.hpp"
#include "apps/process/progress_line.hpp"
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

/// A bar on standard error about a test that takes longer than a second; in a file, a line now and
/// then.
class TestProgress {
public:
  explicit TestProgress(bool quiet) : quiet_(quiet) {}

  /// Makes room for what is said next.
  void clear() { line_.clear(); }

  void tell(Index done, Index all) {
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

/// Ends the program at Ctrl-C: a test that is under way after its batch, so that it leaves nothing
/// behind; where there is none, at once.
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

  /// Calls `test`, which asks `stopped` now and then.
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
    explicit InFlight(TestInterrupt& whose) : whose(whose) { set(true); }
    ~InFlight() { set(false); }
    void set(bool in_flight) const {
      std::lock_guard lock{whose.mutex_};
      whose.in_flight_ = in_flight;
    }
    TestInterrupt& whose;
  };

  std::mutex mutex_;
  bool in_flight_ = false, stopped_ = false;
  Interrupts interrupts_; ///< the last member, so that it is the first to go
};

ConfigSources test_sources(const TestCommand& command) {
  ConfigSources sources;
  sources.files.push_back(configuration_of_run(command.run));
  add_command_line(sources, command.words);
  return sources;
}

} // namespace

void add_test(CLI::App& app, TestCommand& command) {
  auto* sub = app.add_subcommand("test", "Measure what a run has trained on the test section");
  sub->add_option("run", command.run, "the run's folder, one of its files, or 'latest'")
    ->required();
  sub->add_option("words", command.words,
                  "configuration files and changes as for train, over the run's configuration");
  sub->add_option("--section", command.section, "train, validation or test")->capture_default_str();
  sub->add_option("--tag", command.tag, "behind the time in the name of the test's folder");
  sub->add_flag("--visualize", command.visualize,
                "also a picture, or a text, of what the model sees and answers");
  sub->add_flag("--json", command.json, "the result as one line of JSON for each test");
  sub->add_flag("-q,--quiet", command.quiet, "no progress");
  sub->footer(
    "\nEach test leaves a folder in the run, test_<time>[_tag], with testing_configuration.yaml,\n"
    "testing_statistics.csv (a line for each batch) and testing_set_agg_statistics.csv (one "
    "line).\nCtrl-C leaves nothing of the test under way.\n"
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
    check_same_rows(command.run, config.tree); // before any of several tests leaves its folder
  ProblemCache problems;
  const Tester tester{{command.run, section_from(command.section), command.tag, command.visualize},
                      problems};
  for (std::size_t i = 0; i < configs.size(); ++i) {
    TestProgress progress{command.quiet};
    const auto go_on = [&](Index done, Index all) {
      progress.tell(done, all);
      return !interrupt.stopped();
    };
    auto result = interrupt.during([&] { return tester.test(configs[i], go_on); });
    progress.clear();
    if (!result) {
      std::cerr << "interrupted: of this test nothing is left\n";
      return static_cast<int>(ExitCode::interrupted);
    }
    result->settings = settings.at(i);
    if (!result->warning.empty())
      std::cerr << "warning: " << result->warning << "\n";
    std::cout << (command.json ? test_json(*result) : test_text(*result)) << std::endl;
  }
  return static_cast<int>(ExitCode::done);
}

} // namespace troupe
