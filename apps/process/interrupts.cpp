#include "apps/process/interrupts.hpp"

#include "apps/process/standard_streams.hpp"
#include "base/exit_codes.hpp"
#include "messages/wire/type_ids.hpp"

#include <caf/send.hpp>
#include <pthread.h>
#include <signal.h>
#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <mutex>
#include <string>
#include <string_view>
#include <thread>

namespace troupe {

namespace {

/// Whoever interrupts is heard, whether anybody reads or not.
void write_line(std::string_view text) {
  write_within(STDERR_FILENO, text, std::chrono::milliseconds{200});
}

} // namespace

sigset_t signals_to_end() {
  sigset_t signals;
  sigemptyset(&signals);
  for (int number : {SIGINT, SIGTERM, SIGUSR1, SIGUSR2, SIGXCPU})
    sigaddset(&signals, number);
  struct sigaction now {};
  if (sigaction(SIGHUP, nullptr, &now) == 0 && now.sa_handler != SIG_IGN)
    sigaddset(&signals, SIGHUP);
  return signals;
}

struct Interrupts::Listener {
  std::mutex mutex;
  struct Told {
    std::vector<Stoppable> trainers;
    Logger logger;
    int level = 0; ///< that it has heard of
  };
  std::vector<Told> told;
  Listen listener;
  int level = 0;        ///< interrupts so far: 1 ends after the epoch, 2 after the batch
  bool starting = true; ///< nothing is trained yet that could be ended in order
  bool over = false;    ///< training is, and its results are measured and saved
  Resumption resumption;
  std::string why = "interrupted";
  std::optional<Moment> drain_at;
  std::atomic<bool> ending = false; ///< the next SIGUSR2 is ours, and ends the thread
  std::thread thread;
  sigset_t before{};

  void pass_on(Told& to) const { pass_on(to, level, why); }

  static void pass_on(Told& to, int level, const std::string& why) {
    if (level <= to.level)
      return;
    to.level = level;
    const auto after_batch = level >= 2;
    for (const auto& trainer : to.trainers)
      caf::anon_send(trainer,
                     Stop{after_batch ? StopLevel::after_batch : StopLevel::after_epoch,
                          why + (after_batch ? " (after the batch)" : " (after the epoch)"), true});
  }

  static constexpr int time_is_up = 0; ///< in place of a signal

  /// Waits for a signal, or for the moment to drain.
  int next_signal(const sigset_t& signals) {
    for (;;) {
      int number = 0;
      if (!drain_at) {
        if (sigwait(&signals, &number) == 0)
          return number;
        continue;
      }
      const auto left
        = std::chrono::duration_cast<std::chrono::milliseconds>(*drain_at - Moment::clock::now());
      if (left.count() <= 0) {
        drain_at.reset();
        return time_is_up;
      }
      const timespec time{left.count() / 1000, left.count() % 1000 * 1'000'000};
      number = sigtimedwait(&signals, nullptr, &time);
      if (number > 0)
        return number;
    }
  }

  [[noreturn]] void end_at_once(std::string_view why) const {
    const auto how = resumption ? resumption() : "";
    write_line("\n" + std::string{why} + ": the program ends here"
               + (how.empty() ? ", and has saved nothing to go on from" : "; " + how) + "\n");
    _exit(static_cast<int>(how.empty() ? ExitCode::interrupted : ExitCode::stopped_early));
  }

  /// @param by_time and not by a person
  std::string what_happens(bool by_time) const {
    if (by_time)
      return why + ": training ends after this batch";
    if (over)
      return "interrupted: training is over already, and its results are being measured and saved; "
             "Ctrl-C again to end at once, without them";
    if (level == 1)
      return "interrupted: training ends after this epoch; Ctrl-C again for after this batch, a "
             "third time for at once";
    return "interrupted: training ends after this batch; Ctrl-C again for at once";
  }

  void listen() {
    const auto signals = signals_to_end();
    for (;;) {
      const auto number = next_signal(signals);
      if (number == SIGUSR2 && ending)
        return;
      std::lock_guard lock{mutex};
      const auto drains = number == time_is_up;
      if (number != SIGINT && (level >= 2 || over)) { // it is ending; schedulers say so repeatedly
        wait_no_longer_for_readers();
        continue;
      }
      if (starting)
        end_at_once("interrupted while starting");
      if (level >= 2)
        end_at_once("interrupted again");
      level = number != SIGINT || over ? 2 : level + 1;
      if (level >= 2)
        wait_no_longer_for_readers();
      if (drains)
        why = "the time of the job is nearly used up";
      if (number == SIGXCPU)
        why = "the limit of processor time (ulimit -t) is reached";
      const auto what = what_happens(drains || number == SIGXCPU);
      if (told.empty() && !listener)
        write_line(what + "\n");
      for (auto& to : told) {
        caf::anon_send(to.logger, Say{Level::warning, what});
        pass_on(to);
      }
      if (listener)
        listener(level);
    }
  }
};

Interrupts::Interrupts(std::optional<Moment> drain_at) : listener_(std::make_unique<Listener>()) {
  listener_->drain_at = drain_at;
  const auto signals = signals_to_end();
  pthread_sigmask(SIG_BLOCK, &signals, &listener_->before);
  listener_->thread = std::thread{[this] { listener_->listen(); }};
}

Interrupts::~Interrupts() {
  listener_->ending = true;
  pthread_kill(listener_->thread.native_handle(), SIGUSR2);
  listener_->thread.join();
  pthread_sigmask(SIG_SETMASK, &listener_->before, nullptr);
}

void Interrupts::tell(std::vector<Stoppable> trainers, Logger logger) {
  std::lock_guard lock{listener_->mutex};
  listener_->starting = listener_->over = false;
  listener_->told.push_back({std::move(trainers), std::move(logger)});
  listener_->pass_on(listener_->told.back());
}

bool Interrupts::untell(const Logger& logger) {
  std::lock_guard lock{listener_->mutex};
  auto asked = false;
  std::erase_if(listener_->told, [&](const auto& to) {
    const auto own = to.logger == logger;
    asked = asked || (own && to.level > 0);
    return own;
  });
  listener_->over = listener_->told.empty() && !listener_->listener;
  return asked;
}

void Interrupts::resume_by(Resumption how) {
  std::lock_guard lock{listener_->mutex};
  listener_->resumption = std::move(how);
}

void Interrupts::started() {
  std::lock_guard lock{listener_->mutex};
  listener_->starting = false;
}

void Interrupts::stop(int level, const std::string& why) {
  std::lock_guard lock{listener_->mutex};
  for (auto& to : listener_->told)
    Listener::pass_on(to, level, why);
}

void Interrupts::listen(Listen listen) {
  std::lock_guard lock{listener_->mutex};
  listener_->starting = false;
  listener_->listener = std::move(listen);
  if (listener_->level > 0 && listener_->listener)
    listener_->listener(listener_->level);
}

} // namespace troupe
