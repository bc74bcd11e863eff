#include "apps/commands/launch.hpp"

#include "apps/cluster/launch_outcome.hpp"
#include "apps/cluster/launch_plan.hpp"
#include "apps/cluster/launch_supervisor.hpp"
#include "apps/commands/shown_config.hpp"
#include "apps/folder/cluster_folder.hpp"
#include "apps/folder/run_files.hpp"
#include "apps/folder/run_folder.hpp"
#include "apps/process/interrupts.hpp"
#include "apps/process/standard_streams.hpp"
#include "apps/process/stop_signals.hpp"
#include "apps/session/result_text.hpp"
#include "apps/transport/token.hpp"
#include "base/files/durable_file.hpp"

#include <signal.h>

#include <chrono>
#include <fstream>
#include <iostream>
#include <utility>

namespace troupe {

namespace {

using namespace std::chrono_literals;
using Clock = std::chrono::steady_clock;

std::string contents(const std::filesystem::path& path) {
  std::ifstream file{path};
  return {std::istreambuf_iterator<char>{file}, {}};
}

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
    forget_environment(); // the plan's config.yaml has what it said, under the command line
    const auto token = draw_token();
    setenv("TROUPE_TOKEN", token.c_str(), 1); // the children inherit it
    const auto certificates = plan_.folder / "certificates";
    make_folder(certificates);
    write_file(certificates / token_file, token + "\n", Readers::owner); // for `troupe export --ps`
    for (const auto& remark : plan_.remarks)
      std::cerr << remark << std::endl;
    for (const auto& [worker, reason] : plan_.ended)
      std::cerr << "worker " << worker << " has ended before: " << reason << std::endl;
    if (command_.insecure)
      return;
    make_authority(certificates);
    for (int i = 0; i < plan_.shards; ++i)
      make_identity(certificates, name_of_holder(i));
    for (int i = 0; i < plan_.workers; ++i)
      make_identity(certificates, name_of_worker(i));
    if (command_.evaluator)
      make_identity(certificates, name_of_evaluator);
    // Nobody else is to join: the authority signs nothing more.
    std::filesystem::remove(certificates / "ca.key");
  }

  void start_holders() {
    for (int i = 0; i < plan_.shards; ++i)
      processes_.start({LaunchedRole::holder, name_of_holder(i), plan_.folder / name_of_holder(i),
                        words_of_holder(command_, plan_, i, "0")});
    const auto until = Clock::now() + 30s; // to listen
    for (int i = 0; i < plan_.shards; ++i) {
      const auto place = static_cast<std::size_t>(i);
      while (!std::filesystem::exists(port_file(plan_, i))) {
        processes_.print_lines(20);
        processes_.reap();
        const auto holder = processes_.process(place);
        if (!holder.code && Clock::now() < until)
          continue;
        processes_.print_lines(0); // its last
        throw Failure(
          holder.code.value_or(0) != 0
            ? static_cast<ExitCode>(LaunchOutcome::exit_code_after(holder))
            : ExitCode::unavailable,
          {"parameter holder " + std::to_string(i) + " did not start" + last_said(place)});
      }
      auto port = contents(port_file(plan_, i));
      while (!port.empty() && port.back() == '\n')
        port.pop_back();
      holders_ += (i == 0 ? "127.0.0.1:" : ",127.0.0.1:") + port;
      // Where the others look for it.
      processes_.change_words(place, words_of_holder(command_, plan_, i, port));
    }
  }

  /// As many as may run at once; the others follow when these have ended.
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
                      words_of_worker(command_, plan_, index, holders_),
                      variables_of(command_, plan_, index, holders_)});
  }

  void start_evaluator() {
    evaluator_ = processes_.start({LaunchedRole::evaluator, name_of_evaluator,
                                   plan_.folder / name_of_evaluator,
                                   words_of_evaluator(command_, plan_, holders_)});
  }

  /// Workers hear of signals, and the evaluator once they have ended, which takes SIGUSR1 for that
  /// end. Holders end when all have left.
  void pass_signals_on(bool training) {
    const timespec at_once{0, 0};
    for (int number; (number = sigtimedwait(&signals_, nullptr, &at_once)) > 0;) {
      stop_.hear(number, std::chrono::duration<double>(Clock::now().time_since_epoch()).count());
      stop_waiting_for_readers();
      processes_.signal(training ? LaunchedRole::worker : LaunchedRole::evaluator,
                        training || number == SIGINT ? number : SIGTERM);
    }
  }

  /// Nobody is started any more.
  bool interrupted() const { return stop_.any() || drains_; }

  LaunchOutcome outcome() const {
    LaunchOutcome outcome{{}, interrupted(), started_ == plan_.workers};
    for (std::size_t place = 0; place < processes_.size(); ++place)
      outcome.processes.push_back(processes_.process(place));
    // Behind the processes, whose places are theirs.
    outcome.processes.insert(outcome.processes.end(), plan_.ended.size(),
                             {LaunchedRole::worker, static_cast<int>(ExitCode::done)});
    return outcome;
  }

  void mind_crashes() {
    for (const auto place : supervisor_.look())
      if (place == evaluator_)
        told_ = missed_ = false;
  }

  /// The evaluator ends with the workers, also where they have never joined; and training goes on
  /// without it.
  void mind_evaluator(bool training) {
    if (!evaluator_)
      return;
    if (!training && !std::exchange(told_, true))
      processes_.signal(LaunchedRole::evaluator, SIGUSR1);
    if (outcome().has_failed(processes_.process(*evaluator_)) && !std::exchange(missed_, true))
      std::cerr << "troupe: the evaluator " << supervisor_.end_in_words(*evaluator_)
                << (training ? "; training goes on without it" : "") << std::endl;
  }

  void watch() {
    auto training = true;
    while (training || processes_.running(LaunchedRole::evaluator) > 0) {
      processes_.print_lines(100);
      pass_signals_on(training);
      mind_walltime();
      processes_.reap();
      if (!interrupted()) {
        mind_crashes(); // before others take the places of those who crashed
        start_workers();
      }
      mind_beginning();
      training = processes_.running(LaunchedRole::worker) > 0
                 || (!interrupted() && started_ < plan_.workers);
      mind_evaluator(training);
      first_failed_ = outcome().failed();
      if (first_failed_) { // the others may fail at being ended
        std::cerr << "troupe: " << processes_.name(*first_failed_) << " "
                  << supervisor_.end_in_words(*first_failed_) << "; the others are asked to end"
                  << std::endl;
        break;
      }
      if (stop_.insists()) {
        std::cerr << "troupe: asked to end again; whoever has not within " << command_.grace
                  << " s is ended" << std::endl;
        break;
      }
    }
    processes_.end_all(command_.grace);
    mind_beginning();
  }

  /// From a worker's claim on (train.cpp), the run has begun.
  void mind_beginning() {
    if (plan_.unbegun->has_begun())
      return;
    for (int i = 0; i < plan_.workers; ++i) {
      if (!claim_of(folder_of_worker(plan_.folder, static_cast<WorkerId>(i))))
        continue;
      plan_.unbegun->begin();
      if (!plan_.root.empty())
        point_latest_if_possible(plan_.root, plan_.folder);
      return;
    }
  }

  /// Workers end by themselves where it is nearly used up.
  void mind_walltime() {
    const auto now = Interrupts::Moment::clock::now();
    drains_ = drains_ || (plan_.drain_at && now >= *plan_.drain_at);
    if (!plan_.end || now < *plan_.end || std::exchange(over_, true))
      return;
    std::cerr << "troupe: the walltime of " << command_.walltime << " is over; all are asked to end"
              << std::endl;
    processes_.end_all(command_.grace);
  }

  /// Whoever is to read the results may never do so: from here on a signal ends the waiting.
  void give_signals_back() const {
    for (int number = 1; number < NSIG; ++number)
      if (sigismember(&signals_, number) == 1)
        ::signal(number, [](int) { stop_waiting_for_readers(); });
    pthread_sigmask(SIG_UNBLOCK, &signals_, nullptr);
  }

  std::string last_said(std::size_t place) const {
    const auto& said = processes_.last_line(place);
    return said.empty() ? "; it had said nothing" : "; the last that it said: " + said;
  }

  /// Behind the lines of those who were asked to end.
  void tell_of_failure(std::size_t place) const {
    std::cerr << "troupe: " << processes_.name(place) << " has ended the run" << last_said(place)
              << std::endl;
    if (!plan_.unbegun->has_begun())
      return; // its folder goes
    std::cerr << "run " << plan_.folder.string() << std::endl;
    for (int i = 0; i < plan_.workers; ++i)
      if (has_state(folder_of_worker(plan_.folder, static_cast<WorkerId>(i)))) {
        std::cerr
          << "what the workers have saved is kept; once the cause is mended, continue with: "
             "troupe launch --folder "
          << plan_.folder.string() << std::endl;
        return;
      }
  }

  int conclude() const {
    give_signals_back();
    const auto ended = outcome();
    if (const auto place = first_failed_ ? first_failed_ : ended.failed()) {
      tell_of_failure(*place);
      return LaunchOutcome::exit_code_after(ended.processes[*place]);
    }
    if (!plan_.unbegun->has_begun()) {
      std::cerr << "interrupted before any worker trained: nothing is left of the run" << std::endl;
      return static_cast<int>(ExitCode::interrupted);
    }
    const auto result = contents(folder_of_worker(plan_.folder, 0) / "result.json");
    if (command_.train.json)
      std::cout << result << std::flush;
    else if (const auto text = text_of_result(result); !text.empty())
      std::cout << "worker           0 of " << plan_.workers << "\n" << text << std::endl;
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
  bool drains_ = false; ///< the walltime is nearly used up
  bool over_ = false;   ///< and then is
  bool told_ = false;   ///< the evaluator, that training is over
  bool missed_ = false; ///< the evaluator, and people have heard of it
};

} // namespace

int launch(const LaunchCommand& command) {
  if (shows_config(command.train))
    return show_checked_config(command.train, configuration_of_workers(command),
                               workers_of(command));
  return Launcher{command}.run();
}

} // namespace troupe
