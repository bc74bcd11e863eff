#include "troupe/apps/launch.hpp"

#include "troupe/actors/console.hpp"
#include "troupe/apps/child_process.hpp"
#include "troupe/apps/cluster_folder.hpp"
#include "troupe/apps/interrupts.hpp"
#include "troupe/apps/launch_outcome.hpp"
#include "troupe/apps/launch_plan.hpp"
#include "troupe/apps/shown_config.hpp"
#include "troupe/apps/standard_streams.hpp"
#include "troupe/apps/token.hpp"

#include <poll.h>
#include <signal.h>

#include <chrono>
#include <deque>
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
    outlive_readers();
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
    setenv("TROUPE_TOKEN", draw_token().c_str(), 1); // the children inherit it
    for (const auto& [worker, reason] : plan_.ended)
      std::cerr << "worker " << worker << " has ended before: " << reason << std::endl;
    if (command_.insecure)
      return;
    const auto certificates = plan_.folder / "certificates";
    make_authority(certificates);
    for (int i = 0; i < plan_.shards; ++i)
      make_identity(certificates, "holder-" + std::to_string(i));
    for (int i = 0; i < plan_.workers; ++i)
      make_identity(certificates, "worker-" + std::to_string(i));
    if (command_.evaluator)
      make_identity(certificates, "evaluator");
    // Nobody else is to join: the authority signs nothing more.
    std::filesystem::remove(certificates / "ca.key");
  }

  std::vector<std::string> trust(const std::string& name) const {
    if (command_.insecure)
      return {"--insecure"};
    return {"--certs", (plan_.folder / "certificates").string(), "--name", name};
  }

  void start(const std::string& name, std::vector<std::string> arguments,
             const std::map<std::string, std::string>& variables = {}) {
    for (auto& word : trust(name))
      arguments.push_back(word);
    children_.emplace_back(name, arguments, -1, variables);
  }

  std::filesystem::path port_file(int shard) const {
    return plan_.folder / ("holder-" + std::to_string(shard) + ".port");
  }

  void start_holders() {
    for (int i = 0; i < plan_.shards; ++i) {
      const auto name = "holder-" + std::to_string(i);
      start(name, {"node", "--role", "ps", "--until-told", "--ps", "127.0.0.1:0", "--port-file",
                   port_file(i).string(), "--folder", (plan_.folder / name).string()});
    }
    const auto until = Clock::now() + 30s; // to listen
    for (int i = 0; i < plan_.shards; ++i) {
      while (!std::filesystem::exists(port_file(i))) {
        print_lines(20);
        if (children_[static_cast<std::size_t>(i)].reap() || Clock::now() > until)
          throw Failure(ExitCode::unavailable, {"parameter holder " + std::to_string(i)
                                                + " did not start; its lines are above"});
      }
      auto port = contents(port_file(i));
      while (!port.empty() && port.back() == '\n')
        port.pop_back();
      holders_ += (i == 0 ? "127.0.0.1:" : ",127.0.0.1:") + port;
    }
  }

  /// As many as may run at once; the others follow when these have ended.
  void start_workers() {
    auto running = 0;
    for (auto& child : children_)
      running += !child.reap() && is_worker(child) ? 1 : 0;
    const auto most = command_.at_most > 0 ? command_.at_most : plan_.workers;
    for (; running < most && started_ < plan_.workers; ++started_)
      if (!plan_.ended.contains(started_)) {
        start_worker(started_);
        ++running;
      }
  }

  void start_worker(int index) {
    start("worker-" + std::to_string(index), words_of(command_, plan_, index, holders_),
          variables_of(command_, plan_, index, holders_));
  }

  void start_evaluator() {
    start("evaluator", {"node", "--role", "evaluator", "--workers", std::to_string(plan_.workers),
                        "--ps", holders_, "--folder", (plan_.folder / "evaluator").string(),
                        "--config", (plan_.folder / "config.yaml").string()});
  }

  /// Waits up to so many milliseconds for lines and prints them, each with the name of who said it.
  void print_lines(int milliseconds) {
    std::vector<pollfd> polls;
    for (const auto& child : children_)
      if (child.output() >= 0)
        polls.push_back({child.output(), POLLIN, 0});
    poll(polls.data(), polls.size(), milliseconds);
    for (auto& child : children_)
      for (const auto& line : child.read_lines())
        console_.say({Level::info, "[" + child.name() + "] " + line.substr(0, line.size() - 1)});
    console_.flush();
  }

  static bool is_worker(const ChildProcess& child) { return child.name().starts_with("worker"); }
  static bool is_evaluator(const ChildProcess& child) { return child.name() == "evaluator"; }

  /// Workers hear of signals, and the evaluator once they have ended, which takes SIGUSR1 for that
  /// end. Holders end when all have left.
  void pass_signals_on(bool training) {
    const timespec at_once{0, 0};
    for (int number; (number = sigtimedwait(&signals_, nullptr, &at_once)) > 0;) {
      interrupted_ = true;
      wait_no_longer_for_readers();
      for (auto& child : children_)
        if (training ? is_worker(child) : is_evaluator(child))
          child.signal(training || number == SIGINT ? number : SIGTERM);
    }
  }

  template <class Which>
  bool running(Which which) {
    auto any = false;
    for (auto& child : children_)
      any = (!child.reap() && which(child)) || any;
    return any;
  }

  static LaunchedRole role_of(const ChildProcess& child) {
    return is_worker(child)      ? LaunchedRole::worker
           : is_evaluator(child) ? LaunchedRole::evaluator
                                 : LaunchedRole::holder;
  }

  static LaunchedProcess process(const ChildProcess& child) {
    return {role_of(child), child.running() ? std::nullopt : std::optional{child.exit_code()}};
  }

  LaunchOutcome outcome() const {
    LaunchOutcome outcome{{}, interrupted_, started_ == plan_.workers};
    for (const auto& child : children_)
      outcome.processes.push_back(process(child));
    // Behind the children, whose places are theirs.
    outcome.processes.insert(outcome.processes.end(), plan_.ended.size(),
                             {LaunchedRole::worker, static_cast<int>(ExitCode::done)});
    return outcome;
  }

  /// The first process that failed and without which nothing goes on.
  const ChildProcess* failed() const {
    const auto place = outcome().failed();
    return place ? &children_[*place] : nullptr;
  }

  /// The evaluator ends with the workers, also where they have never joined; and training goes on
  /// without it.
  void mind_evaluator(bool training) {
    for (auto& child : children_)
      if (is_evaluator(child) && !minded_ && (!training || outcome().has_failed(process(child)))) {
        minded_ = true;
        child.signal(SIGUSR1);
        if (training)
          std::cerr << "troupe: the evaluator failed with exit code " << child.exit_code()
                    << "; training goes on without it" << std::endl;
      }
  }

  void watch() {
    auto training = true;
    while (training || running(is_evaluator)) {
      print_lines(100);
      pass_signals_on(training);
      mind_walltime();
      if (!interrupted_)
        start_workers();
      training = running(is_worker) || (!interrupted_ && started_ < plan_.workers);
      mind_evaluator(training);
      if (const auto* child = failed()) {
        first_failed_ = child; // the others may fail at being ended
        std::cerr << "troupe: " << child->name() << " failed with exit code " << child->exit_code()
                  << "; the others are asked to end" << std::endl;
        break;
      }
    }
    end_all();
  }

  /// Workers end by themselves where it is nearly used up.
  void mind_walltime() {
    const auto now = Interrupts::Moment::clock::now();
    interrupted_ = interrupted_ || (plan_.drain_at && now >= *plan_.drain_at);
    if (!plan_.end || now < *plan_.end || std::exchange(over_, true))
      return;
    std::cerr << "troupe: the walltime of " << command_.walltime << " is over; all are asked to end"
              << std::endl;
    end_all();
  }

  void end_all() {
    for (auto& child : children_)
      child.signal(SIGTERM);
    const auto until = Clock::now() + std::chrono::duration<double>(command_.grace);
    auto running = true;
    while (running && Clock::now() < until) {
      print_lines(50);
      running = false;
      for (auto& child : children_)
        running = !child.reap() || running;
    }
    print_lines(0);
    for (auto& child : children_)
      if (child.running()) {
        std::cerr << "troupe: " << child.name() << " did not end within " << command_.grace
                  << " s and is ended now" << std::endl;
        child.signal(SIGKILL);
      }
  }

  /// Whoever is to read the results may never do so: from here on a signal ends the waiting.
  void give_signals_back() const {
    for (int number = 1; number < NSIG; ++number)
      if (sigismember(&signals_, number) == 1)
        ::signal(number, [](int) { wait_no_longer_for_readers(); });
    pthread_sigmask(SIG_UNBLOCK, &signals_, nullptr);
  }

  int conclude() const {
    give_signals_back();
    if (const auto* child = first_failed_ != nullptr ? first_failed_ : failed())
      return child->exit_code();
    if (command_.train.json)
      std::cout << contents(folder_of_worker(plan_.folder, 0) / "result.json");
    std::cerr << "run " << plan_.folder.string() << std::endl;
    const auto ended = outcome();
    if (ended.stopped_early())
      std::cerr << "stopped early; continue with: troupe launch --folder " << plan_.folder.string()
                << std::endl;
    return ended.exit_code();
  }

  const LaunchCommand& command_;
  RunLock lock_;
  const LaunchPlan plan_ = plan_of(command_, lock_);
  sigset_t signals_ = signals_to_end();
  Console console_{{}};               ///< for the children's lines
  std::string holders_;               ///< addresses, separated by commas
  std::deque<ChildProcess> children_; ///< the holders first
  const ChildProcess* first_failed_ = nullptr;
  int started_ = 0;          ///< workers
  bool interrupted_ = false; ///< no further worker is started
  bool over_ = false;        ///< the walltime
  bool minded_ = false;      ///< the evaluator has been told, or told of
};

} // namespace

int launch(const LaunchCommand& command) {
  if (shows_config(command.train))
    return show_config(command.train, configuration_of_workers(command).tree);
  return Launcher{command}.run();
}

} // namespace troupe
