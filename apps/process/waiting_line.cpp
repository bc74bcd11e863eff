#include "apps/process/waiting_line.hpp"

#include <fmt/format.h>
#include <signal.h>

#include <chrono>
#include <system_error>
#include <utility>

namespace troupe {

namespace {

using WaitingClock = std::chrono::steady_clock;

constexpr auto silent_at_first = std::chrono::milliseconds{500};
constexpr auto between_drawings = std::chrono::milliseconds{100};
constexpr auto between_said = std::chrono::seconds{10};

} // namespace

WaitingLine::WaitingLine(std::string what, bool shown) : what_(std::move(what)) {
  if (!shown)
    return;
  sigset_t all, before; // signals are for the other threads
  sigfillset(&all);
  pthread_sigmask(SIG_SETMASK, &all, &before);
  try {
    thread_ = std::thread{[this] { report(); }};
  } catch (const std::system_error&) {
    // the system has no thread to spare: nothing is shown
  }
  pthread_sigmask(SIG_SETMASK, &before, nullptr);
}

WaitingLine::~WaitingLine() {
  if (!thread_.joinable())
    return;
  {
    const std::lock_guard lock{mutex_};
    done_ = true;
  }
  over_.notify_all();
  thread_.join();
}

void WaitingLine::report() {
  const auto began = WaitingClock::now();
  std::unique_lock lock{mutex_};
  for (WaitingClock::duration wait = silent_at_first;
       !over_.wait_for(lock, wait, [this] { return done_; });) {
    const std::chrono::duration<double> seconds = WaitingClock::now() - began;
    line_.show(what_ + (line_.redraws() ? fmt::format(", {:.1f} s", seconds.count()) : " ..."));
    wait = line_.redraws() ? WaitingClock::duration{between_drawings} : between_said;
  }
}

} // namespace troupe
