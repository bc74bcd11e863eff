#include "troupe/apps/grid/train.hpp"

#include "troupe/actors/grid_supervisor.hpp"
#include "troupe/actors/record_file.hpp"
#include "troupe/apps/config/overrides.hpp"
#include "troupe/apps/exit_codes.hpp"
#include "troupe/apps/grid/progress.hpp"
#include "troupe/apps/grid/runner.hpp"
#include "troupe/apps/run_config.hpp"
#include "troupe/apps/run_files.hpp"
#include "troupe/apps/run_problem.hpp"
#include "troupe/apps/system_config.hpp"
#include "troupe/messages/error.hpp"
#include "troupe/messages/saved_run.hpp"

#include <caf/scoped_actor.hpp>
#include <caf/send.hpp>
#include <sched.h>
#include <signal.h>
#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <cstdlib>
#include <deque>
#include <exception>
#include <iostream>
#include <random>
#include <set>

namespace troupe {

namespace {

using LineClock = std::chrono::steady_clock;

constexpr auto between_lines = std::chrono::milliseconds{100}; // on a terminal
constexpr auto between_reports = std::chrono::seconds{10};     // in a file

std::filesystem::path journal_of(const GridOptions& options) {
  return std::filesystem::path{options.settings.folder} / journal_file;
}

/// @throws ConfigError where the folder has another grid
void check_same_grid(const GridPlan& plan, const GridIdentity& identity) {
  if (plan.fingerprint() != identity.plan)
    throw ConfigError(
      "the folder '" + plan.options().settings.folder
      + "' has runs of other trials than this grid's (settings, a file of a task or "
        "the seed were changed since "
      + identity.time + "); give the new grid another folder, like folder=grids/two");
}

/// Tells of ends, on one line that is written over on a terminal. Called by one thread.
class GridConsole {
public:
  GridConsole(const GridPlan& plan, bool quiet)
    : plan_(plan),
      quiet_(quiet),
      terminal_(isatty(STDERR_FILENO) != 0),
      results_(plan.options().settings.choose) {}

  GridResults& results() { return results_; }

  void tell(const TrialEnded& ended, const GridAgenda& agenda) {
    results_.add(ended);
    tell_failure(ended, agenda);
    const auto now = LineClock::now();
    const auto wait = terminal_ ? LineClock::duration{between_lines} : between_reports;
    if (quiet_ || now - shown_ < wait)
      return;
    shown_ = now;
    std::cerr << (terminal_ ? "\r\x1b[K" : "") << progress_line(plan_, agenda, results_)
              << (terminal_ ? "" : "\n") << std::flush;
  }

  /// A line of its own.
  void say(const std::string& line) const {
    std::cerr << (terminal_ ? "\r\x1b[K" : "") << line << "\n";
  }

  /// What was not told one by one.
  void sum_up() const {
    if (told_again_ > 0)
      say("and " + std::to_string(told_again_)
          + " more failures for the same reasons; all are in the journal");
  }

private:
  /// One mistake in a file fails all runs alike: its sentence is told once.
  void tell_failure(const TrialEnded& ended, const GridAgenda& agenda) {
    const auto line = failure_line(plan_, agenda, ended);
    if (line.empty())
      return;
    if (told_.emplace(ended.reason, agenda.gives_up_after(ended)).second)
      say(line);
    else
      ++told_again_;
  }

  const GridPlan& plan_;
  bool quiet_, terminal_;
  GridResults results_;
  std::set<std::pair<std::string, bool>> told_; ///< reasons, and whether it was the last attempt
  std::size_t told_again_ = 0;
  LineClock::time_point shown_ = LineClock::now();
};

/// The plan of a grid, with the seed that was drawn at its first start.
GridPlan plan_of(const GridOptions& options) {
  const auto journal = read_journal(journal_of(options));
  return {options, journal.identity ? journal.identity->seed : std::random_device{}()};
}

/// A mistake in all its trials is told before a grid has a folder, which would belong to them.
/// @throws what the first trial's mistake is, where none can be.
void check_some_can_be(const GridPlan& plan, ProblemCache& problems) {
  std::exception_ptr first;
  for (RunNumber run = 1; run <= plan.trials().size(); ++run)
    try {
      ConfigSources sources;
      sources.settings = plan.settings_of(run);
      const auto config = read_run_config(sources);
      model_of(config, *sampled(problems.get(*config.tree.find("problem")), config));
      return;
    } catch (const std::exception&) {
      if (!first)
        first = std::current_exception();
    }
  std::rethrow_exception(first);
}

/// False where a power cut, or a person, took what the run has left; then it is run again.
bool is_whole(const GridPlan& plan, const TrialEnded& ended) {
  return ended.outcome != TrialOutcome::done
         || is_there(plan.folder_of(ended.run) / saved_run_file);
}

GridAgendaOptions agenda_options(const GridPlan& plan) {
  const auto& settings = plan.options().settings;
  GridAgendaOptions options;
  options.runs = plan.runs();
  options.retries = settings.retries;
  options.stop_on_failure = settings.stop_on_failure;
  if (!settings.halving.rungs.empty())
    options.rungs = static_cast<std::uint32_t>(settings.halving.rungs.size());
  options.factor = settings.halving.factor;
  options.choose = settings.choose;
  return options;
}

/// Opens the journal and writes its first line where it has none.
std::shared_ptr<JournalFile> open_journal(const GridPlan& plan) {
  auto journal
    = std::make_shared<JournalFile>(journal_of(plan.options()), plan.options().settings.sync);
  if (journal->former().damaged > 0)
    std::cerr << "warning: the journal of the grid has " << journal->former().damaged
              << " damaged lines; what they said is run again\n";
  if (journal->former().identity) {
    check_same_grid(plan, *journal->former().identity);
  } else {
    const auto now
      = std::chrono::duration<double>(std::chrono::system_clock::now().time_since_epoch());
    journal->append(journal_line({plan.fingerprint(), plan.seed(), utc_text(now.count())}));
  }
  return journal;
}

/// Runs of processes of their own see the same configuration as those of this one.
void forget_environment() {
  for (const auto& variable : config::environment())
    unsetenv(variable.substr(0, variable.find('=')).c_str());
}

GridEnded carry_out(GridStage& stage, GridSupervisorOptions options, const GridConsole& console) {
  const auto supervisor = spawn_grid_supervisor(stage.system, std::move(options));
  stage.interrupts.listen([&, supervisor](int level) {
    caf::anon_send(supervisor, StopGrid{});
    stage.children.signal(level >= 2 ? SIGTERM : SIGINT);
    console.say(level >= 2
                  ? "interrupted: runs end after their batch; Ctrl-C again for at once"
                  : "interrupted: nothing new is started, runs under way end after their epoch; "
                    "Ctrl-C again for after the batch; the same command goes on from there");
  });
  GridEnded ended;
  caf::scoped_actor self{stage.system};
  self->request(supervisor, caf::infinite, StartGrid{})
    .receive([&](const GridEnded& answer) { ended = answer; },
             [&](const caf::error& error) { ended.error = sentence(error); });
  stage.interrupts.listen({});
  return ended;
}

int exit_code_of(const GridEnded& ended) {
  if (!ended.error.empty()) {
    std::cerr << "troupe: the grid ended before its time: " << ended.error << "\n";
    return static_cast<int>(ExitCode::io);
  }
  if (ended.failed > 0)
    return static_cast<int>(ExitCode::internal);
  return static_cast<int>(ended.left > 0 ? ExitCode::stopped_early : ExitCode::done);
}

} // namespace

std::vector<int> seats_of(std::int64_t at_once) {
  cpu_set_t ours;
  CPU_ZERO(&ours);
  sched_getaffinity(0, sizeof ours, &ours);
  std::vector<int> processors;
  for (int number = 0; number < CPU_SETSIZE; ++number)
    if (CPU_ISSET(number, &ours))
      processors.push_back(number);
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
  auto plan = plan_of(options);
  check_same_grid(plan, *journal.identity);
  return plan;
}

int grid_train(const GridCommand& command) {
  Interrupts interrupts; // before other threads
  const auto plan = plan_of(read_grid(command.file, command.changes));
  forget_environment();
  ProblemCache problems;
  check_some_can_be(plan, problems);
  const auto journal = open_journal(plan);
  GridConsole console{plan, command.quiet};
  GridSupervisorOptions options{GridAgenda{agenda_options(plan)}, {}, journal, {}};
  for (const auto& ended : journal->former().ended) {
    if (ended.run <= plan.runs() && !is_whole(plan, ended))
      continue;
    options.agenda.recall(ended);
    if (ended.run <= plan.runs())
      console.results().add(ended);
  }
  const auto seats = seats_of(plan.options().settings.at_once);
  if (!command.quiet)
    console.say(std::to_string(plan.trials().size()) + " trials, "
                + std::to_string(plan.options().settings.repetitions)
                + " repetitions: " + std::to_string(plan.runs()) + " runs, "
                + std::to_string(options.agenda.done()) + " of them done; "
                + std::to_string(seats.size()) + " at once; in " + plan.options().settings.folder);
  // The seats of fewer runs than processors share what is left over.
  const auto threads = std::max<std::size_t>(1, seats_of(0).size() / seats.size());
  std::deque<CastSystem> casts;
  SystemConfig config{1};
  config.add_message_types<caf::id_block::troupe_grid>();
  caf::actor_system system{config};
  GridStage stage{system, plan, interrupts, problems, {}};
  for (const auto processor : seats)
    options.runners.push_back(spawn_trial_runner(stage, casts.emplace_back(threads), processor));
  options.tell = [&console](const auto& ended, const auto& agenda) { console.tell(ended, agenda); };
  const auto ended = carry_out(stage, std::move(options), console);
  console.sum_up();
  if (!command.quiet)
    console.say(std::to_string(ended.done) + " runs done, " + std::to_string(ended.failed)
                + " failed, " + std::to_string(ended.left) + " left");
  std::cout << summary_table(plan, console.results()) << std::flush;
  return exit_code_of(ended);
}

} // namespace troupe
