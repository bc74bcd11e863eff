#include "apps/grid/test.hpp"

#include "actors/grid/grid_supervisor.hpp"
#include "actors/log/record_file.hpp"
#include "apps/folder/problem_file.hpp"
#include "apps/process/interrupts.hpp"
#include "apps/process/system_config.hpp"
#include "apps/session/reported_state.hpp"
#include "apps/session/run_problem.hpp"
#include "apps/testing/test_files.hpp"
#include "apps/testing/tester.hpp"
#include "base/files/checked_text.hpp"
#include "base/files/synchronising_pause.hpp"
#include "messages/checkpoint/saved_run.hpp"
#include "messages/grid/grid_wire.hpp"

#include <caf/send.hpp>
#include <caf/typed_event_based_actor.hpp>

#include <atomic>
#include <iostream>
#include <set>

namespace troupe {

namespace {

namespace fs = std::filesystem;

struct WantedTest {
  fs::path folder;      ///< folder of the run
  std::size_t test = 0; ///< index of the test in the run's configuration
};

ConfigSources sources_of_run(const fs::path& folder) {
  ConfigSources sources;
  check_yaml_file(folder / "config.yaml");
  sources.files = {folder / "config.yaml"};
  return sources;
}

/// What all runners of tests share. It must outlive them.
struct TestStage {
  const GridPlan& plan;
  std::vector<WantedTest> wanted;
  ProblemCache problems = {};
  std::atomic<bool> stopped = false;
  std::atomic<std::uint64_t> left_out = 0; ///< tests without examples
};

/// A problem may have no test section, and a grid without tests is complete.
bool has_examples(const RunConfig& config, const fs::path& run, ProblemCache& problems) {
  const auto& section = *config.tree.find("problem");
  const auto problem = sampled(problems.get(config, fit_in(run, section)), config, Section::test);
  return problem->size(Section::test) > 0;
}

/// @returns false if it was stopped.
bool run_test(const WantedTest& wanted, TestStage& stage) {
  const auto model = best_model(wanted.folder);
  if (!model)
    throw IoError("there is no model in '" + wanted.folder.string() + "'");
  const auto config = configurations_of_tests(sources_of_run(wanted.folder)).at(wanted.test);
  if (!has_examples(config, wanted.folder, stage.problems)) {
    ++stage.left_out;
    return true;
  }
  const Tester tester{{model->string(), Section::test, "", false}, stage.problems};
  const auto result = tester.test(config, [&stage](Index, Index) { return !stage.stopped; });
  if (result && !result->warning.empty())
    std::cerr << "warning: '" + wanted.folder.string() + "': " + result->warning + "\n";
  return result.has_value();
}

TrialRunner spawn_test_runner(caf::actor_system& system, TestStage& stage) {
  const auto runner = [&stage]() -> TrialRunner::behavior_type {
    return {[&stage](const RunTrial& trial) {
      // Only with `always` each test is on the disk before the next one starts.
      const SynchronisingPause pause{stage.plan.options().settings.sync != JournalSync::always};
      try {
        const auto whole = run_test(stage.wanted[trial.run - 1], stage);
        return end_of(trial, whole ? TrialOutcome::done : TrialOutcome::stopped, "");
      } catch (const std::exception& e) {
        return end_of(trial, TrialOutcome::refused, e.what());
      }
    }};
  };
  return system.spawn<caf::detached>(runner);
}

/// Adds the tests that a run lacks.
void add_wanted(const fs::path& folder, std::uint32_t repeat, std::vector<WantedTest>& wanted) {
  const auto model = best_model(folder);
  const auto configs = configurations_of_tests(sources_of_run(folder));
  const auto tests = read_tests(folder);
  std::vector<std::size_t> done(configs.size());
  for (const auto& test : tests)
    for (std::size_t i = 0; i < configs.size(); ++i)
      if (model && test.model == model->string() && has_settings(test, configs[i].tree))
        ++done[i];
  for (std::uint32_t number = 0; number < repeat; ++number)
    for (std::size_t i = 0; i < configs.size(); ++i)
      if (number >= done[i])
        wanted.push_back({folder, i});
}

std::vector<WantedTest> wanted_tests(const GridPlan& plan, std::uint32_t repeat) {
  const auto journal = read_journal(fs::path{plan.options().settings.folder} / journal_file);
  std::set<RunNumber> done;
  for (const auto& ended : journal.ended)
    if (ended.outcome == TrialOutcome::done && ended.run <= plan.runs())
      done.insert(ended.run);
  std::vector<WantedTest> wanted;
  for (const auto run : done)
    try {
      add_wanted(plan.folder_of(run), repeat, wanted);
    } catch (const std::exception&) {
      wanted.push_back({plan.folder_of(run)}); // it is reported as a failed test
    }
  return wanted;
}

GridEnded test_all(TestStage& stage, Interrupts& interrupts) {
  const auto& wanted = stage.wanted;
  const auto runners = processors_for(stage.plan.options().settings.at_once).size();
  SystemConfig config{2, {runners, usual_needs.bytes}};
  add_grid_messages(config);
  caf::actor_system system{config};
  GridQueueOptions queue;
  queue.runs = wanted.size();
  GridSupervisorOptions options{GridQueue{queue}, {}, nullptr, {}};
  for (std::size_t i = 0; i < runners; ++i)
    options.runners.push_back(spawn_test_runner(system, stage));
  options.notify = [&wanted](const TrialEnded& ended, const GridQueue&) {
    if (!ended.reason.empty())
      std::cerr << "cannot test '" + wanted[ended.run - 1].folder.string() + "': " + ended.reason
                     + "\n";
  };
  const auto supervisor = spawn_grid_supervisor(system, std::move(options));
  interrupts.on_interrupt([&stage, supervisor](int) {
    stage.stopped = true;
    caf::anon_send(supervisor, StopGrid{});
  });
  const auto ended = run_to_end(system, supervisor);
  interrupts.on_interrupt({});
  return ended;
}

} // namespace

std::optional<fs::path> best_model(const fs::path& folder) {
  std::error_code ignored;
  for (const auto& path :
       {folder / "models" / "model_best.bin", best_state_in(folder), folder / saved_run_file})
    if (!path.empty() && fs::exists(path, ignored))
      return path;
  return {};
}

int grid_test(const GridCommand& command) {
  Interrupts interrupts; // before other threads
  const auto plan = started_plan(command);
  TestStage stage{plan, wanted_tests(plan, command.repeat)};
  const auto ended = test_all(stage, interrupts);
  if (!command.quiet && stage.left_out > 0)
    std::cerr << stage.left_out
              << " tests are skipped because their problems have no examples to test on; give them "
                 "some, like problem.test=1000\n";
  if (!command.quiet)
    std::cerr << ended.done - stage.left_out << " tests done, " << ended.failed << " failed"
              << (ended.left > 0 ? ", " + std::to_string(ended.left) + " left" : "") << "\n";
  if (!ended.error.empty())
    throw IoError("the tests ended early: " + ended.error);
  return static_cast<int>(ended.failed > 0 ? ExitCode::internal
                          : ended.left > 0 ? ExitCode::stopped_early
                                           : ExitCode::done);
}

} // namespace troupe
