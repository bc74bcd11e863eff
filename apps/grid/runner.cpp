#include "apps/grid/runner.hpp"

#include "actors/log/record_file.hpp"
#include "apps/catalog/components.hpp"
#include "apps/config/plugins.hpp"
#include "apps/config/print.hpp"
#include "apps/config/yaml.hpp"
#include "apps/folder/logged_values.hpp"
#include "apps/folder/problem_file.hpp"
#include "apps/folder/run_files.hpp"
#include "apps/folder/run_lock.hpp"
#include "apps/grid/rungs.hpp"
#include "apps/run_config/extension_checks.hpp"
#include "apps/run_config/read_run_config.hpp"
#include "apps/run_config/wanted_extensions.hpp"
#include "apps/session/run_end.hpp"
#include "apps/session/run_problem.hpp"
#include "apps/session/session.hpp"
#include "apps/session/small_table.hpp"
#include "base/files/checked_text.hpp"
#include "base/files/durable_file.hpp"
#include "base/files/line_file.hpp"
#include "base/files/private_files.hpp"
#include "base/files/synchronising_pause.hpp"
#include "messages/grid/leased_folders.hpp"
#include "messages/requests/error.hpp"
#include "messages/timing/clocks.hpp"

#include <caf/typed_event_based_actor.hpp>
#include <fcntl.h>
#include <poll.h>

#include <cerrno>
#include <chrono>
#include <cmath>
#include <optional>

namespace troupe {

namespace {

using Clock = std::chrono::steady_clock;
namespace fs = std::filesystem;

/// Writes a file without waiting for the disk, since the grid can write it again.
void write_unsynced(const fs::path& path, const std::string& text) {
  const SynchronisingPause pause{true};
  write_file(path, text);
}

constexpr auto stopped_code = static_cast<int>(ExitCode::stopped_early);

/// The task of an attempt.
struct TrialOrder {
  RunTrial trial;
  fs::path folder, home; ///< where it writes, and the path in its results
  std::string by;        ///< the record of its score
  bool isolate = false;  ///< run it in its own process
  JournalSync sync = JournalSync::seldom;
  std::function<config::Node()> settings; ///< may throw ConfigError
};

config::Node settings_of(const GridPlan& plan, const RunTrial& trial) {
  auto settings = plan.settings_of(trial.run);
  const auto& rungs = plan.options().settings.halving.rungs;
  if (!rungs.empty())
    end_at_rung(settings, rungs[trial.rung]);
  return settings;
}

TrialOrder trial_order(const GridPlan& plan, const RunTrial& trial) {
  const auto folder = plan.folder_of(trial.run);
  const auto& settings = plan.options().settings;
  return {trial, folder, folder, settings.by, settings.isolate, settings.sync, [&plan, trial] {
            return settings_of(plan, trial);
          }};
}

TrialOrder trial_order(const LeasedTrial& leased) {
  return {leased.trial,
          leased.folder,
          leased.home,
          leased.by,
          leased.isolate,
          leased.sync,
          [text = leased.settings] { return config::read_yaml(text, "the grid's coordinator"); }};
}

/// One attempt at one run.
class Attempt {
public:
  Attempt(GridStage& stage, CastSystem& casts, TrialOrder order, int processor)
    : stage_(stage),
      casts_(casts),
      order_(std::move(order)),
      trial_(order_.trial),
      processor_(processor),
      folder_(order_.folder) {}

  TrialEnded run() {
    const auto began = Clock::now();
    auto ended = outcome();
    ended.seconds = std::chrono::duration<double>(Clock::now() - began).count();
    ended.time = utc_text(seconds_since_1970());
    return ended;
  }

private:
  TrialEnded ended_as(TrialOutcome outcome, const std::string& reason) const {
    return end_of(trial_, outcome, reason);
  }

  /// No exception may leave a runner: it would end the actor.
  TrialEnded outcome() {
    try {
      auto ended = train();
      if (ended.outcome == TrialOutcome::done)
        ended.score = last_record(folder_, order_.by);
      return ended;
    } catch (const ConfigError& e) {
      return ended_as(TrialOutcome::refused, e.what());
    } catch (const std::exception& e) {
      return ended_as(TrialOutcome::failed, e.what());
    }
  }

  TrialEnded train() {
    set_aside_failed_attempt();
    ConfigSources sources;
    sources.settings = order_.settings();
    auto config = read_run_config(sources);
    if (!config.resume.empty())
      throw ConfigError(
        "resume is '" + config.resume
        + "', but runs of a grid resume by themselves; remove `resume` from the configuration");
    std::optional<RunLock> lock{std::in_place};
    lock->take(folder_); // before looking for the newest state: another process may write one
    auto found = begun_run(folder_);
    if (found || !order_.isolate) // otherwise its process does it
      lengthen_for_small_table(config, *problem_to_train(config, found.has_value()));
    if (found) {
      if (const auto end = written_end(folder_, *found, config))
        return ended_as(TrialOutcome::done,
                        *end); // it was killed before its end was in the journal
      repeat_end(found->run, config);
    }
    const auto ends
      = found
        && (!found->run.trainers.front().causes.empty()
            || !reached_end(found->run, config.training, config.training.workers).empty());
    if (order_.isolate && !ends) {
      lock.reset(); // its process takes the lock
      return train_in_process(sources.settings);
    }
    return train_here(config, std::move(found), *lock);
  }

  /// A run that was killed at its end repeats the end, so that all its files are written.
  static void repeat_end(SavedRun& run, const RunConfig& config) {
    if (config.trainer) { // its own conditions find the end again
      forget_terminal_causes(run);
      return;
    }
    forget_end(run, config.training.epochs);
    const auto reached = reached_end(run, config.training, config.training.workers);
    for (auto& trainer : run.trainers)
      if (trainer.causes.empty() && !reached.empty())
        trainer.causes.push_back(reached);
  }

  void set_aside_failed_attempt() const {
    if (trial_.attempt < 2 || trial_.rung > 0)
      return; // at a higher rung it resumes from its state
    const auto aside = failed_attempt(folder_.string(), trial_.attempt - 1);
    std::error_code ignored; // if it has not even created its folder
    if (fs::exists(aside, ignored))
      return;
    RunLock lock;
    lock.take(folder_);
    fs::rename(folder_, aside, ignored);
  }

  std::shared_ptr<const Problem> problem_to_train(const RunConfig& config, bool begun) const {
    const auto fit
      = begun ? fit_in(folder_, *config.tree.find("problem")) : fit_to_begin_with(config.tree);
    return sampled(stage_.problems.get(config, fit), config);
  }

  /// @param lock taken here if the folder is created here
  TrialEnded train_here(const RunConfig& config, std::optional<FoundRun> found, RunLock& lock) {
    const SynchronisingPause pause{order_.sync != JournalSync::always};
    const auto problem = problem_to_train(config, found.has_value());
    check_together(wanted_extensions(config, *problem, {config.training.workers}));
    SessionOptions options;
    options.console = false;
    options.progress = false;
    options.writer = casts_.writer();
    if (found)
      options.resume = std::move(found->run);
    options.folder = found ? folder_ : fresh_folder(folder_);
    lock.take(options.folder);
    if (!found)
      write_fit(folder_, *problem);
    write_unsynced(folder_ / "config.yaml", yaml_with_checksum(repeatable(config.tree)));
    const auto result = run_session(casts_.system(), config, options, problem, stage_.interrupts);
    write_results(folder_, result, order_.home);
    switch (result.outcome) {
    case Outcome::finished: return ended_as(TrialOutcome::done, result.reason);
    case Outcome::interrupted: // else it stopped itself because it could not save, and would do so
                               // again
      return ended_as(result.asked_to_end ? TrialOutcome::stopped : TrialOutcome::failed,
                      result.reason);
    case Outcome::failed: break;
    }
    return ended_as(TrialOutcome::failed, result.reason);
  }

  TrialEnded train_in_process(const config::Node& settings) {
    make_private_folder(folder_);
    std::error_code error;
    fs::remove(folder_ / "result.json",
               error); // the result of an earlier start; this start writes its own
    write_unsynced(folder_ / "trial.yaml", config::to_yaml(settings));
    LineFile output{opened_output()};
    ChildProcess child{"run " + std::to_string(trial_.run),
                       {"train", "-q", "--folder", folder_.string(), "--home", order_.home.string(),
                        (folder_ / "trial.yaml").string()},
                       processor_};
    stage_.children.add(child);
    const auto last = wait_for(child, output);
    stage_.children.remove(child);
    const auto code = child.exit_code();
    if (code == static_cast<int>(ExitCode::done))
      return ended_as(TrialOutcome::done, written_reason(folder_));
    if (const auto reason = unrequested_stop(folder_); code == stopped_code && reason)
      return ended_as(TrialOutcome::failed, *reason); // as for a run in this process
    if (code == stopped_code || code == static_cast<int>(ExitCode::interrupted))
      return ended_as(TrialOutcome::stopped, last.empty() ? "interrupted" : last);
    return ended_as(code == static_cast<int>(ExitCode::configuration) ? TrialOutcome::refused
                                                                      : TrialOutcome::failed,
                    "its process ended with exit code " + std::to_string(code)
                      + (last.empty() ? "" : ": " + last));
  }

  /// @returns a descriptor. @throws IoError
  int opened_output() const {
    const auto path = folder_ / "output.txt";
    const auto descriptor = open_private(path, O_RDWR | O_APPEND);
    if (descriptor < 0)
      throw IoError("cannot write '" + path.string() + "': " + reason_of_open(errno));
    return descriptor;
  }

  /// Copies its output to a file. @returns the last line
  std::string wait_for(ChildProcess& child, LineFile& output) const {
    std::string last;
    while (child.output() >= 0) {
      pollfd wait{child.output(), POLLIN, 0};
      poll(&wait, 1, -1);
      for (const auto& line : child.read_lines()) {
        output.append(line); // if the disk is full, the journal says so
        last = line.substr(0, line.find('\n'));
      }
    }
    while (!stage_.children.reap(child))
      poll(nullptr, 0, 1); // it has closed its output and is about to end
    return last;
  }

  GridStage& stage_;
  CastSystem& casts_;
  const TrialOrder order_;
  const RunTrial& trial_;
  int processor_;
  fs::path folder_;
};

} // namespace

LeasedTrial leased_trial(const GridPlan& plan, const RunTrial& trial) {
  const auto order = trial_order(plan, trial);
  return {trial,
          config::to_yaml(order.settings()),
          order.home.string(),
          order.folder.filename().string(),
          order.by,
          order.isolate,
          order.sync};
}

TrialRunner spawn_trial_runner(GridStage& stage, const GridPlan& plan, CastSystem& casts,
                               int processor) {
  const auto runner = [&stage, &plan, &casts, processor]() -> TrialRunner::behavior_type {
    return {[&stage, &plan, &casts, processor](const RunTrial& trial) {
      return Attempt{stage, casts, trial_order(plan, trial), processor}.run();
    }};
  };
  return stage.system.spawn<caf::detached>(runner);
}

LeasedRunner spawn_leased_runner(GridStage& stage, CastSystem& casts, int processor) {
  const auto runner = [&stage, &casts, processor]() -> LeasedRunner::behavior_type {
    return {[&stage, &casts, processor](const LeasedTrial& leased) -> caf::result<TrialEnded> {
      try {
        check_allowed(trial_order(leased).settings());
      } catch (const ConfigError& e) { // of this node, not of the run: others may train it
        return fail(Error::invalid_options, e.what());
      }
      return Attempt{stage, casts, trial_order(leased), processor}.run();
    }};
  };
  return stage.system.spawn<caf::detached>(runner);
}

} // namespace troupe
