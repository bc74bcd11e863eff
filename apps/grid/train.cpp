#include "apps/grid/train.hpp"

#include "actors/grid/grid_supervisor.hpp"
#include "actors/log/record_file.hpp"
#include "apps/catalog/record_checks.hpp"
#include "apps/config/config_sources.hpp"
#include "apps/folder/logged_values.hpp"
#include "apps/folder/problem_file.hpp"
#include "apps/folder/run_files.hpp"
#include "apps/grid/coordination.hpp"
#include "apps/grid/grid_description.hpp"
#include "apps/grid/runner.hpp"
#include "apps/process/process_limits.hpp"
#include "apps/process/shutdown_deadline.hpp"
#include "apps/process/standard_streams.hpp"
#include "apps/process/system_config.hpp"
#include "apps/run_config/read_run_config.hpp"
#include "apps/run_config/wanted_extensions.hpp"
#include "apps/session/data_checks.hpp"
#include "apps/session/run_checks.hpp"
#include "apps/session/run_problem.hpp"
#include "apps/transport/control_listener.hpp"
#include "base/allowed_cores.hpp"
#include "base/failure.hpp"
#include "base/text/text.hpp"
#include "messages/checkpoint/saved_run.hpp"
#include "messages/grid/grid_wire.hpp"
#include "messages/timing/clocks.hpp"

#include <caf/send.hpp>

#include <algorithm>
#include <cstdlib>
#include <deque>
#include <exception>
#include <iostream>
#include <memory>
#include <optional>
#include <random>

namespace troupe {

namespace {

std::filesystem::path journal_of(const GridOptions& options) {
  return std::filesystem::path{options.settings.folder} / journal_file;
}

/// @throws ConfigError if the folder has another grid
void check_same_grid(const GridPlan& plan, const GridIdentity& identity) {
  if (plan.fingerprint() != identity.plan)
    throw ConfigError(
      "the folder '" + plan.options().settings.folder
      + "' has runs of other trials than this grid's (settings, a file of a task or "
        "the seed were changed since "
      + identity.time + "); give the new grid another folder, like folder=grids/two");
}

/// The plan of a grid, with the seed drawn at its first start.
GridPlan grid_plan_of(const GridOptions& options) {
  const auto journal = read_journal(journal_of(options));
  return {options, journal.identity ? journal.identity->seed : std::random_device{}()};
}

/// @throws ConfigError if the runs of a trial do not write the record that they are compared by.
void check_score(const std::string& by, const RunConfig& config,
                 const std::shared_ptr<const Problem>& problem, const Model& model) {
  WrittenRecords written{wanted_extensions(config, *problem, {config.training.workers}), problem,
                         model};
  written.add_test();
  if (auto refused = written.refusal("the grid's `by`", by); !refused.empty())
    throw ConfigError(std::move(refused));
}

/// Reports a mistake in all trials before the grid's folder is created. @throws the first trial's
/// error if no trial is valid.
void check_any_trial(const GridPlan& plan, ProblemCache& problems) {
  std::exception_ptr first;
  for (RunNumber run = 1; run <= plan.trials().size(); ++run)
    try {
      ConfigSources sources;
      sources.settings = plan.settings_of(run);
      const auto config = read_run_config(sources);
      const auto fit = fit_to_begin_with(config.tree);
      const auto problem = sampled(problems.get(config, fit), config);
      const auto model = model_of(config, *problem);
      check_trainable(config, problem, *model, {}, counts_to_train_on(config, *problem));
      check_score(plan.options().settings.by, config, problem, *model);
      return;
    } catch (const std::exception&) {
      if (!first)
        first = std::current_exception();
    }
  std::rethrow_exception(first);
}

/// False if the files of a finished run are lost; then it is run again.
bool is_whole(const GridPlan& plan, const TrialEnded& ended) {
  return ended.outcome != TrialOutcome::done
         || is_there(plan.folder_of(ended.run) / saved_run_file);
}

/// The ends of runs with the scores by the current `by` from their logs: the journal may have those
/// of another record. With halving the journal's scores stay, since it has chosen by them.
std::vector<TrialEnded> rescored(const GridPlan& plan, std::vector<TrialEnded> all) {
  const auto& settings = plan.options().settings;
  if (!settings.halving.rungs.empty())
    return all;
  for (auto& ended : all) {
    const auto folder = plan.folder_of(ended.run);
    if (ended.run <= plan.runs() && ended.outcome == TrialOutcome::done
        && is_there(folder / "log.jsonl"))
      ended.score = last_record(folder, settings.by);
  }
  return all;
}

/// Opens the journal, and writes its first line if it is new.
std::shared_ptr<JournalFile> open_journal(const GridPlan& plan) {
  auto journal
    = std::make_shared<JournalFile>(journal_of(plan.options()), plan.options().settings.sync);
  if (journal->previous().damaged > 0)
    std::cerr << "warning: the journal of the grid has " << journal->previous().damaged
              << " damaged lines; their runs are run again\n";
  if (journal->previous().identity) {
    check_same_grid(plan, *journal->previous().identity);
    check_same_score(plan);
  } else {
    journal->append(
      journal_line({plan.fingerprint(), plan.seed(), utc_text(seconds_since_1970())}));
  }
  return journal;
}

/// The address where nodes join, from the grid's file; nothing if it has none.
std::optional<GridAddress> address_of(const GridCommand& command, const GridPlan& plan) {
  const auto& address = plan.options().settings.listen;
  if (address.empty())
    return {};
  const auto endpoint = listening_endpoint(address);
  return GridAddress{endpoint, trust_of(command.trust, endpoint.host)};
}

/// @param coordination null if no node can join
GridEnded run_grid(GridStage& stage, GridSupervisorOptions options, const GridConsole& console,
                   const GridCoordination* coordination) {
  const auto supervisor = spawn_grid_supervisor(stage.system, std::move(options));
  if (coordination != nullptr)
    coordination->serve(supervisor);
  stage.interrupts.on_interrupt([&, supervisor, coordination](int level) {
    caf::anon_send(supervisor, StopGrid{});
    stage.children.stop(level);
    if (coordination != nullptr)
      coordination->stop(level);
    console.say(
      level >= 2
        ? "interrupted: runs end after their batch; press Ctrl-C again to end at once"
        : "interrupted: no new runs are started, and running ones end after their epoch; press "
          "Ctrl-C again to end after the batch; the same command continues the grid");
  });
  const auto ended = run_to_end(stage.system, supervisor);
  if (coordination != nullptr)
    coordination->close(ended.left > 0 || !ended.error.empty());
  stage.interrupts.on_interrupt({});
  return ended;
}

int exit_code_of(const GridEnded& ended) {
  if (!ended.error.empty()) {
    std::cerr << "troupe: the grid ended early: " << ended.error << "\n";
    return static_cast<int>(ExitCode::io);
  }
  if (ended.failed > 0)
    return static_cast<int>(ExitCode::internal);
  return static_cast<int>(ended.left > 0 ? ExitCode::stopped_early : ExitCode::done);
}

/// The actor system of the grid itself; its runs have others.
std::unique_ptr<SystemConfig> config_of(const std::optional<GridAddress>& address) {
  if (address)
    return std::make_unique<GridSystemConfig>(2);
  auto config = std::make_unique<SystemConfig>(1);
  add_grid_messages(*config);
  return config;
}

/// Adds the finished runs of earlier starts, which are not run again.
void recall_finished(const GridPlan& plan, const JournalFile& journal, GridQueue& queue,
                     GridConsole& console) {
  for (const auto& ended : rescored(plan, journal.previous().ended)) {
    if (ended.run <= plan.runs() && !is_whole(plan, ended))
      continue;
    queue.recall(ended);
    if (ended.run <= plan.runs())
      console.recall(ended);
  }
}

/// "8 trials, 2 repetitions: 16 runs, 3 of them done; 4 at the same time"
std::string grid_headline(const GridPlan& plan, const GridQueue& queue, std::size_t at_once) {
  return quantity(plan.trials().size(), "trial") + ", "
         + quantity(plan.options().settings.repetitions, "repetition") + ": "
         + quantity(plan.runs(), "run") + ", " + std::to_string(queue.done()) + " of them done; "
         + std::to_string(at_once) + " at the same time";
}

} // namespace

std::size_t threads_per_run(std::size_t runs) {
  return std::max<std::size_t>(1, count_allowed_cores() / std::max<std::size_t>(1, runs));
}

void check_room_for_runs(std::size_t runs, std::size_t own) {
  constexpr std::size_t of_run = 4; // its runner, its writer, and CAF's clock and printer
  constexpr std::uint64_t bytes = std::uint64_t{16} << 20;
  check_resources({own + runs * (threads_per_run(runs) + of_run), (1 + runs) * bytes});
}

std::vector<int> processors_for(std::int64_t at_once) {
  auto processors = allowed_cores();
  if (at_once > 0 && processors.size() > static_cast<std::size_t>(at_once))
    processors.resize(static_cast<std::size_t>(at_once));
  return processors;
}

GridPlan started_plan(const GridCommand& command) {
  const auto options = read_grid(command.file, command.changes);
  const auto journal = read_journal(journal_of(options));
  if (!journal.identity)
    throw ConfigError("the grid has no runs in '" + options.settings.folder
                      + "' yet; start it with: troupe grid train " + command.file);
  auto plan = grid_plan_of(options);
  check_same_grid(plan, *journal.identity);
  return plan;
}

int grid_train(const GridCommand& command) {
  survive_closed_outputs();
  Interrupts interrupts; // before other threads
  const auto plan = grid_plan_of(read_grid(command.file, command.changes));
  const auto& settings = plan.options().settings;
  const auto address = address_of(command, plan);
  forget_environment();
  ProblemCache problems;
  check_any_trial(plan, problems);
  const auto processors = settings.local ? processors_for(settings.at_once) : std::vector<int>{};
  constexpr std::size_t of_grid = 4,
                        of_listener = 5; // threads of actors, clock, printer and supervisor
  check_room_for_runs(processors.size(), of_grid + (address ? of_listener : 0));
  const auto journal = open_journal(plan);
  write_grid_description(plan);
  interrupts.set_resume_hint([] { return "the same command continues the grid"; });
  interrupts.started();
  LeasedFolders{settings.folder, ""}.rescue_all(); // folders of nodes of a start that was killed
  GridConsole console{plan, command.quiet};
  GridSupervisorOptions options{GridQueue{queue_options(plan)}, {}, journal, {}};
  recall_finished(plan, *journal, options.queue, console);
  const auto given_up = given_up_lines(plan, options.queue, console.results());
  if (command.failed)
    options.queue.try_failed_again();
  if (!command.quiet)
    console.say(grid_headline(plan, options.queue, processors.size()) + (address ? " here" : "")
                + "; in " + settings.folder);
  if (!command.failed && !given_up.empty())
    console.say(given_up);
  std::deque<CastSystem> casts;
  const auto config = config_of(address);
  ShutdownDeadline end;
  caf::actor_system system{*config};
  return end.run([&] {
    GridStage stage{system, interrupts, problems, {}};
    for (const auto processor : processors)
      options.runners.push_back(spawn_trial_runner(
        stage, plan, casts.emplace_back(threads_per_run(processors.size())), processor));
    options.notify
      = [&console](const auto& ended, const auto& queue) { console.report(ended, queue); };
    options.awaits_runners = address.has_value();
    std::optional<GridCoordination> coordination;
    if (address)
      coordination.emplace(system, plan, *address, command.port_file, console);
    const auto ended
      = run_grid(stage, std::move(options), console, coordination ? &*coordination : nullptr);
    console.print_summary();
    if (!command.quiet)
      console.say(std::to_string(ended.done) + " runs done, " + std::to_string(ended.failed)
                  + " failed, " + std::to_string(ended.left) + " left");
    std::cout << summary_table(plan, console.results()) << std::flush;
    return exit_code_of(ended);
  });
}

} // namespace troupe
