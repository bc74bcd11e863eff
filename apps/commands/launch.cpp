#include "apps/commands/launch.hpp"

#include "apps/cluster/launch_outcome.hpp"
#include "apps/cluster/launch_plan.hpp"
#include "apps/cluster/launch_supervisor.hpp"
#include "apps/folder/cluster_folder.hpp"
#include "apps/folder/run_files.hpp"
#include "apps/folder/run_folder.hpp"
#include "apps/process/interrupts.hpp"
#include "apps/process/standard_streams.hpp"
#include "apps/process/stop_signals.hpp"
#include "apps/session/result_text.hpp"
#include "apps/session/shown_config.hpp"
#include "apps/transport/token.hpp"
#include "base/files/durable_file.hpp"
#include "base/files/file_content.hpp"
#include "base/files/private_files.hpp"

#include <signal.h>

#include <chrono>
#include <iostream>
#include <utility>

namespace troupe {

namespace {

using namespace std::chrono_literals;
using Clock = std::chrono::steady_clock;

class Launcher {
public:
  explicit Launcher(const LaunchCommand& command) : command_(command) {
    pthread_sigmask(SIG_BLOCK, &signals_, nullptr);
    survive_closed_outputs();
  }

  int run() {
    prepare();
    start_holders();
    if (command_.evaluator)
      start_evaluator();
    start_workers();
    watch();
    return conclude();
  }

private:
  void prepare() {
    forget_environment(); // the plan's config.yaml has its values, below those of the command line
    const auto token = draw_token();
    setenv("TROUPE_TOKEN", token.c_str(), 1); // the children inherit it
    const auto certificates = plan_.folder / "certificates";
    make_private_folder(certificates);
    write_file(certificates / token_file, token + "\n", Readers::owner); // for `troupe export --ps`
    for (const auto& remark : plan_.remarks)
      std::cerr << remark << std::endl;
    for (const auto& [worker, reason] : plan_.ended)
      std::cerr << "worker " << worker << " has already ended: " << reason << std::endl;
    if (command_.insecure)
      return;
    make_authority(certificates);
    for (int i = 0; i < plan_.shards; ++i)
      make_identity(certificates, name_of_holder(i));
    for (int i = 0; i < plan_.workers; ++i)
      make_identity(certificates, name_of_worker(i));
    if (command_.evaluator)
      make_identity(certificates, name_of_evaluator);
    // No other process may join: the authority signs nothing more.
    std::filesystem::remove(certificates / "ca.key");
  }

  void start_holders() {
    for (int i = 0; i < plan_.shards; ++i)
      processes_.start({LaunchedRole::holder, name_of_holder(i), plan_.folder / name_of_holder(i),
                        arguments_of_holder(command_, plan_, i, "0")});
    const auto until = Clock::now() + 30s; // to listen
    for (int i = 0; i < plan_.shards; ++i) {
      const auto place = static_cast<std::size_t>(i);
      while (!std::filesystem::exists(port_file(plan_, i))) {
        processes_.print_lines(20);
        processes_.reap();
        const auto holder = processes_.process(place);
        if (!holder.code && Clock::now() < until)
          continue;
        processes_.print_lines(0); // its last lines
        throw Failure(
          holder.code.value_or(0) != 0
            ? static_cast<ExitCode>(LaunchOutcome::exit_code_after(holder))
            : ExitCode::unavailable,
          {"parameter holder " + std::to_string(i) + " did not start" + last_line_text(place)});
      }
      auto port = file_content(port_file(plan_, i)).value_or("");
      while (!port.empty() && port.back() == '\n')
        port.pop_back();
      holders_ += (i == 0 ? "127.0.0.1:" : ",127.0.0.1:") + port;
      // A restarted holder listens where the workers look for it.
      processes_.change_arguments(place, arguments_of_holder(command_, plan_, i, port));
    }
  }

  /// Starts as many workers as may run at the same time; the others follow when these have ended.
  void start_workers() {
    auto running = static_cast<int>(processes_.running(LaunchedRole::worker));
    const auto most = command_.at_most > 0 ? command_.at_most : plan_.workers;
    for (; running < most && started_ < plan_.workers; ++started_)
      if (!plan_.ended.contains(started_)) {
        start_worker(started_);
        ++running;
      }
  }

  void start_worker(int index) {
    processes_.start({LaunchedRole::worker, name_of_worker(index),
                      folder_of_worker(plan_.folder, static_cast<WorkerId>(index)),
                      arguments_of_worker(command_, plan_, index, holders_),
                      variables_of(command_, plan_, index, holders_)});
  }

  void start_evaluator() {
    evaluator_ = processes_.start({LaunchedRole::evaluator, name_of_evaluator,
                                   plan_.folder / name_of_evaluator,
                                   arguments_of_evaluator(command_, plan_, holders_)});
  }

  /// Forwards signals to the workers, or to the evaluator once the workers have ended. SIGUSR1
  /// tells the evaluator that training has ended. Holders end when all members have left.
  void pass_signals_on(bool training) {
    const timespec at_once{0, 0};
    for (int number; (number = sigtimedwait(&signals_, nullptr, &at_once)) > 0;) {
      stop_.hear(number, std::chrono::duration<double>(Clock::now().time_since_epoch()).count());
      stop_waiting_for_readers();
      processes_.signal(training ? LaunchedRole::worker : LaunchedRole::evaluator,
                        training || number == SIGINT ? number : SIGTERM);
    }
  }

  /// No process is started any more.
  bool interrupted() const { return stop_.any() || draining_; }

  LaunchOutcome outcome() const {
    LaunchOutcome outcome{{}, interrupted(), started_ == plan_.workers};
    for (std::size_t place = 0; place < processes_.size(); ++place)
      outcome.processes.push_back(processes_.process(place));
    // After the processes, whose indices stay the same.
    outcome.processes.insert(outcome.processes.end(), plan_.ended.size(),
                             {LaunchedRole::worker, static_cast<int>(ExitCode::done)});
    return outcome;
  }

  void restart_crashed() {
    for (const auto place : supervisor_.restart_crashed())
      if (place == evaluator_)
        evaluator_notified_ = evaluator_reported_ = false;
  }

  /// Ends the evaluator with the workers, even if they never joined. Training continues without it.
  void check_evaluator(bool training) {
    if (!evaluator_)
      return;
    if (!training && !std::exchange(evaluator_notified_, true))
      processes_.signal(LaunchedRole::evaluator, SIGUSR1);
    if (outcome().has_failed(processes_.process(*evaluator_))
        && !std::exchange(evaluator_reported_, true))
      std::cerr << "troupe: the evaluator " << supervisor_.end_text(*evaluator_)
                << (training ? "; training continues without it" : "") << std::endl;
  }

  void watch() {
    auto training = true;
    while (training || processes_.running(LaunchedRole::evaluator) > 0) {
      processes_.print_lines(100);
      pass_signals_on(training);
      check_walltime();
      processes_.reap();
      if (!interrupted()) {
        restart_crashed(); // before new workers take the places of crashed ones
        start_workers();
      }
      note_start();
      training = processes_.running(LaunchedRole::worker) > 0
                 || (!interrupted() && started_ < plan_.workers);
      check_evaluator(training);
      first_failed_ = outcome().failed();
      if (first_failed_) { // the others may fail while they end
        std::cerr << "troupe: " << processes_.name(*first_failed_) << " "
                  << supervisor_.end_text(*first_failed_) << "; the others are asked to end"
                  << std::endl;
        break;
      }
      if (stop_.insists()) {
        std::cerr << "troupe: asked to end again; processes that have not ended within "
                  << command_.grace << " s are killed" << std::endl;
        break;
      }
    }
    processes_.end_all(command_.grace);
    note_start();
  }

  /// The run has begun once a worker has claimed its folder (train.cpp).
  void note_start() {
    if (plan_.unstarted->has_begun())
      return;
    for (int i = 0; i < plan_.workers; ++i) {
      if (!claim_of(folder_of_worker(plan_.folder, static_cast<WorkerId>(i))))
        continue;
      plan_.unstarted->begin();
      if (!plan_.root.empty())
        point_latest_if_possible(plan_.root, plan_.folder);
      return;
    }
  }

  /// Workers end by themselves shortly before the walltime.
  void check_walltime() {
    const auto now = Interrupts::Moment::clock::now();
    draining_ = draining_ || (plan_.drain_at && now >= *plan_.drain_at);
    if (!plan_.end || now < *plan_.end || std::exchange(walltime_over_, true))
      return;
    std::cerr << "troupe: the walltime of " << command_.walltime
              << " is over; all processes are asked to end" << std::endl;
    processes_.end_all(command_.grace);
  }

  /// The reader of the results may never read them: from here on a signal ends the wait.
  void give_signals_back() const {
    for (int number = 1; number < NSIG; ++number)
      if (sigismember(&signals_, number) == 1)
        ::signal(number, [](int) { stop_waiting_for_readers(); });
    pthread_sigmask(SIG_UNBLOCK, &signals_, nullptr);
  }

  std::string last_line_text(std::size_t place) const {
    const auto& said = processes_.last_line(place);
    return said.empty() ? "; it printed nothing" : "; its last line: " + said;
  }

  /// Printed after the lines of the processes that were asked to end.
  void report_failure(std::size_t place) const {
    std::cerr << "troupe: " << processes_.name(place) << " has ended the run"
              << last_line_text(place) << std::endl;
    if (!plan_.unstarted->has_begun())
      return; // its folder is deleted
    std::cerr << "run " << plan_.folder.string() << std::endl;
    for (int i = 0; i < plan_.workers; ++i)
      if (has_state(folder_of_worker(plan_.folder, static_cast<WorkerId>(i)))) {
        std::cerr << "the workers' saved states are kept; once the cause is fixed, continue with: "
                     "troupe launch --folder "
                  << plan_.folder.string() << std::endl;
        return;
      }
  }

  int conclude() const {
    give_signals_back();
    const auto ended = outcome();
    if (const auto place = first_failed_ ? first_failed_ : ended.failed()) {
      report_failure(*place);
      return LaunchOutcome::exit_code_after(ended.processes[*place]);
    }
    if (!plan_.unstarted->has_begun()) {
      std::cerr << "interrupted before any worker trained: the run's folder was deleted"
                << std::endl;
      return static_cast<int>(ExitCode::interrupted);
    }
    const auto result
      = file_content(folder_of_worker(plan_.folder, 0) / "result.json").value_or("");
    if (command_.train.json)
      std::cout << result << std::flush;
    else if (const auto text = text_of_result(result); !text.empty())
      std::cout << "worker           0 of " << plan_.workers << "\n"
                << shown_results(text) << std::endl;
    if (!command_.train.quiet)
      std::cerr << "run " << plan_.folder.string() << std::endl;
    if (ended.stopped_early() && !command_.train.quiet)
      std::cerr << "stopped early; continue with: troupe launch --folder " << plan_.folder.string()
                << std::endl;
    return ended.exit_code();
  }

  const LaunchCommand& command_;
  RunLock lock_;
  const LaunchPlan plan_ = plan_of(command_, lock_);
  sigset_t signals_ = signals_to_end();
  std::string holders_;                               ///< addresses, separated by commas
  LaunchedProcesses processes_{command_.train.quiet}; ///< the holders first
  LaunchSupervisor supervisor_{processes_, command_.restarts};
  std::optional<std::size_t> evaluator_, first_failed_; ///< places
  int started_ = 0;                                     ///< workers
  StopSignals stop_;
  bool draining_ = false;           ///< the walltime is nearly over
  bool walltime_over_ = false;      ///< the walltime is over
  bool evaluator_notified_ = false; ///< the evaluator was told that training has ended
  bool evaluator_reported_ = false; ///< the evaluator's failure was reported
};

} // namespace

int launch(const LaunchCommand& command) {
  if (shows_config(command.train))
    return show_checked_config(command.train, configuration_of_workers(command),
                               workers_of(command));
  return Launcher{command}.run();
}

} // namespace troupe
