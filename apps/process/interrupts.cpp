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

/// Answers an interrupt, even if nothing reads stderr.
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

struct Interrupts::SignalThread {
  std::mutex mutex;
  struct Registered {
    std::vector<Stoppable> trainers;
    Logger logger;
    int level = 0; ///< the highest that was sent
  };
  std::vector<Registered> registered;
  Handler handler;
  int level = 0;        ///< interrupts so far: 1 ends after the epoch, 2 after the batch
  bool starting = true; ///< no training runs yet that could be ended in order
  bool over = false;    ///< training has ended; results are measured and saved
  ResumeHint resume_hint;
  std::string why = "interrupted";
  std::optional<Moment> drain_at;
  std::atomic<bool> ending = false; ///< the next SIGUSR2 comes from the destructor
  std::thread thread;
  sigset_t before{};

  void send_stop(Registered& to) const { send_stop(to, level, why); }

  static void send_stop(Registered& to, int level, const std::string& why) {
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

  /// Waits for a signal, or until it is time to drain.
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
    const auto how = resume_hint ? resume_hint() : "";
    write_line("\n" + std::string{why} + ": the program ends here"
               + (how.empty() ? ", and nothing was saved to resume from" : "; " + how) + "\n");
    _exit(static_cast<int>(how.empty() ? ExitCode::interrupted : ExitCode::stopped_early));
  }

  /// @param by_time the interrupt comes from a time limit, not from a person
  std::string what_happens(bool by_time) const {
    if (by_time)
      return why + ": training ends after this batch";
    if (over)
      return "interrupted: training has already ended, and its results are being measured and "
             "saved; "
             "press Ctrl-C again to end at once, without them";
    if (level == 1)
      return "interrupted: training ends after this epoch; press Ctrl-C again to end after this "
             "batch, a third time to end at once";
    return "interrupted: training ends after this batch; press Ctrl-C again to end at once";
  }

  void run() {
    const auto signals = signals_to_end();
    for (;;) {
      const auto number = next_signal(signals);
      if (number == SIGUSR2 && ending)
        return;
      std::lock_guard lock{mutex};
      const auto drains = number == time_is_up;
      if (number != SIGINT && (level >= 2 || over)) { // already ending; schedulers repeat signals
        stop_waiting_for_readers();
        continue;
      }
      if (starting)
        end_at_once("interrupted while starting");
      if (level >= 2)
        end_at_once("interrupted again");
      level = number != SIGINT || over ? 2 : level + 1;
      if (level >= 2)
        stop_waiting_for_readers();
      if (drains)
        why = "the time of the job is nearly used up";
      if (number == SIGXCPU)
        why = "the limit of processor time (ulimit -t) is reached";
      const auto what = what_happens(drains || number == SIGXCPU);
      if (registered.empty() && !handler)
        write_line(what + "\n");
      for (auto& to : registered) {
        caf::anon_send(to.logger, Say{Level::warning, what});
        send_stop(to);
      }
      if (handler)
        handler(level);
    }
  }
};

Interrupts::Interrupts(std::optional<Moment> drain_at) : thread_(std::make_unique<SignalThread>()) {
  thread_->drain_at = drain_at;
  const auto signals = signals_to_end();
  pthread_sigmask(SIG_BLOCK, &signals, &thread_->before);
  thread_->thread = std::thread{[this] { thread_->run(); }};
}

Interrupts::Interrupts(WithoutSignals) : thread_(std::make_unique<SignalThread>()) {}

Interrupts::~Interrupts() {
  if (!thread_->thread.joinable())
    return;
  thread_->ending = true;
  pthread_kill(thread_->thread.native_handle(), SIGUSR2);
  thread_->thread.join();
  pthread_sigmask(SIG_SETMASK, &thread_->before, nullptr);
}

void Interrupts::register_trainers(std::vector<Stoppable> trainers, Logger logger) {
  std::lock_guard lock{thread_->mutex};
  thread_->starting = thread_->over = false;
  thread_->registered.push_back({std::move(trainers), std::move(logger)});
  thread_->send_stop(thread_->registered.back());
}

bool Interrupts::unregister_trainers(const Logger& logger) {
  std::lock_guard lock{thread_->mutex};
  auto asked = false;
  std::erase_if(thread_->registered, [&](const auto& to) {
    const auto own = to.logger == logger;
    asked = asked || (own && to.level > 0);
    return own;
  });
  thread_->over = thread_->registered.empty() && !thread_->handler;
  return asked;
}

void Interrupts::set_resume_hint(ResumeHint hint) {
  std::lock_guard lock{thread_->mutex};
  thread_->resume_hint = std::move(hint);
}

void Interrupts::started() {
  std::lock_guard lock{thread_->mutex};
  thread_->starting = false;
}

void Interrupts::interrupt(int level) {
  std::lock_guard lock{thread_->mutex};
  if (level <= thread_->level)
    return;
  thread_->level = level;
  for (auto& to : thread_->registered)
    thread_->send_stop(to);
  if (thread_->handler)
    thread_->handler(level);
}

void Interrupts::stop(int level, const std::string& why) {
  std::lock_guard lock{thread_->mutex};
  for (auto& to : thread_->registered)
    SignalThread::send_stop(to, level, why);
}

void Interrupts::on_interrupt(Handler handler) {
  std::lock_guard lock{thread_->mutex};
  thread_->starting = false;
  thread_->handler = std::move(handler);
  if (thread_->level > 0 && thread_->handler)
    thread_->handler(thread_->level);
}

} // namespace troupe
