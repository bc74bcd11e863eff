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
#include "base/text/text.hpp"
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

ConfigSources sources_of_run(const fs::path& folder) {
  ConfigSources sources;
  check_yaml_file(folder / "config.yaml");
  sources.files = {folder / "config.yaml"};
  return sources;
}

/// What all runners of tests share. It must outlive them.
struct TestStage {
  const GridPlan& plan;
  std::uint32_t repeat = 1;
  std::vector<fs::path> runs; ///< folders of the trained ones
  ProblemCache problems = {};
  std::atomic<bool> stopped = false;
  std::atomic<std::uint64_t> done = 0, failed = 0, left_out = 0; ///< tests; without examples
};

/// @param best its state of the best, may be missing or ""
std::optional<fs::path> model_in(const fs::path& run, const fs::path& best) {
  std::error_code ignored;
  for (const auto& path : {run / "models" / "model_best.bin", best, run / saved_run_file})
    if (!path.empty() && fs::exists(path, ignored))
      return path;
  return {};
}

std::optional<fs::path> model_in(const fs::path& run, const RunConfig& config) {
  const auto best = best_state_of(config);
  return model_in(run, best.empty() ? fs::path{} : run / best);
}

/// A problem may have no test section, and a grid without tests is complete.
bool has_examples(const RunConfig& config, const fs::path& run, ProblemCache& problems) {
  const auto& section = *config.tree.find("problem");
  const auto problem = sampled(problems.get(config, fit_in(run, section)), config, Section::test);
  return problem->size(Section::test) > 0;
}

/// The tests that a run lacks, as indices of its configurations.
std::vector<std::size_t> lacking_tests(const fs::path& run, const std::string& model,
                                       const std::vector<RunConfig>& configs,
                                       std::uint32_t repeat) {
  std::vector<std::size_t> done(configs.size()), lacking;
  for (const auto& test : read_tests(run))
    for (std::size_t i = 0; i < configs.size(); ++i)
      if (test.model == model && has_settings(test, configs[i].tree))
        ++done[i];
  for (std::uint32_t number = 0; number < repeat; ++number)
    for (std::size_t i = 0; i < configs.size(); ++i)
      if (number >= done[i])
        lacking.push_back(i);
  return lacking;
}

/// @returns false if it was stopped.
bool run_test(const Tester& tester, const RunConfig& config, const fs::path& run,
              TestStage& stage) {
  if (!has_examples(config, run, stage.problems)) {
    ++stage.left_out;
    return true;
  }
  const auto result = tester.test(config, [&stage](Index, Index) { return !stage.stopped; });
  if (result && !result->warning.empty())
    std::cerr << "warning: '" + run.string() + "': " + result->warning + "\n";
  stage.done += result ? 1 : 0;
  return result.has_value();
}

/// Runs the tests that a run lacks. Its configuration is read here and once, since reading YAML
/// takes longer than a small test. @returns false if it was stopped.
bool test_run(const fs::path& run, TestStage& stage) {
  const auto configs = configurations_of_tests(sources_of_run(run));
  const auto model = model_in(run, configs.front());
  if (!model)
    throw IoError("there is no model in '" + run.string() + "'");
  const auto lacking = lacking_tests(run, model->string(), configs, stage.repeat);
  if (lacking.empty())
    return true;
  const Tester tester{{model->string(), Section::test, "", false}, stage.problems};
  Sentences errors;
  for (const auto i : lacking)
    try {
      if (!run_test(tester, configs[i], run, stage))
        return false;
    } catch (const std::exception& e) {
      errors.emplace_back(e.what());
    }
  if (errors.empty())
    return true;
  stage.failed += errors.size() - 1; // the last one is counted with the run
  throw IoError(joined(errors, "; "));
}

TrialRunner spawn_test_runner(caf::actor_system& system, TestStage& stage) {
  const auto runner = [&stage]() -> TrialRunner::behavior_type {
    return {[&stage](const RunTrial& trial) {
      // Only with `always` each test is on the disk before the next one starts.
      const SynchronisingPause pause{stage.plan.options().settings.sync != JournalSync::always};
      try {
        const auto whole = test_run(stage.runs[trial.run - 1], stage);
        return end_of(trial, whole ? TrialOutcome::done : TrialOutcome::stopped, "");
      } catch (const std::exception& e) {
        ++stage.failed;
        return end_of(trial, TrialOutcome::refused, e.what());
      }
    }};
  };
  return system.spawn<caf::detached>(runner);
}

std::vector<fs::path> trained_runs(const GridPlan& plan) {
  const auto journal = read_journal(fs::path{plan.options().settings.folder} / journal_file);
  std::set<RunNumber> done;
  for (const auto& ended : journal.ended)
    if (ended.outcome == TrialOutcome::done && ended.run <= plan.runs())
      done.insert(ended.run);
  std::vector<fs::path> folders;
  for (const auto run : done)
    folders.push_back(plan.folder_of(run));
  return folders;
}

GridEnded test_all(TestStage& stage, Interrupts& interrupts) {
  const auto runners = processors_for(stage.plan.options().settings.at_once).size();
  SystemConfig config{2, {runners, usual_needs.bytes}};
  add_grid_messages(config);
  caf::actor_system system{config};
  GridQueueOptions queue;
  queue.runs = stage.runs.size();
  GridSupervisorOptions options{GridQueue{queue}, {}, nullptr, {}};
  for (std::size_t i = 0; i < runners; ++i)
    options.runners.push_back(spawn_test_runner(system, stage));
  options.notify = [&stage](const TrialEnded& ended, const GridQueue&) {
    if (!ended.reason.empty())
      std::cerr << "cannot test '" + stage.runs[ended.run - 1].string() + "': " + ended.reason
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
  return model_in(folder, best_state_in(folder));
}

int grid_test(const GridCommand& command) {
  Interrupts interrupts; // before other threads
  const auto plan = started_plan(command);
  TestStage stage{plan, command.repeat, trained_runs(plan)};
  const auto ended = test_all(stage, interrupts);
  if (!command.quiet && stage.left_out > 0)
    std::cerr << stage.left_out
              << " tests are skipped because their problems have no examples to test on; give them "
                 "some, like problem.test=1000\n";
  if (!command.quiet)
    std::cerr << stage.done << " tests done, " << stage.failed << " failed"
              << (ended.left > 0 ? ", " + std::to_string(ended.left) + " left" : "") << "\n";
  if (!ended.error.empty())
    throw IoError("the tests ended early: " + ended.error);
  return static_cast<int>(ended.failed > 0 ? ExitCode::internal
                          : ended.left > 0 ? ExitCode::stopped_early
                                           : ExitCode::done);
}

} // namespace troupe
