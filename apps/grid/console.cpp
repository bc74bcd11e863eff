#include "troupe/apps/grid/console.hpp"

#include <unistd.h>

#include <iostream>

namespace troupe {

namespace {

using LineClock = std::chrono::steady_clock;

constexpr auto between_lines = std::chrono::milliseconds{100}; // on a terminal
constexpr auto between_reports = std::chrono::seconds{10};     // in a file

} // namespace

GridConsole::GridConsole(const GridPlan& plan, bool quiet)
  : plan_(plan),
    quiet_(quiet),
    terminal_(isatty(STDERR_FILENO) != 0),
    results_(plan.options().settings.choose) {}

void GridConsole::tell(const TrialEnded& ended, const GridAgenda& agenda) {
  results_.add(ended);
  tell_failure(ended, agenda);
  const auto now = LineClock::now();
  const auto wait = terminal_ ? LineClock::duration{between_lines} : between_reports;
  if (quiet_ || now - shown_ < wait)
    return;
  shown_ = now;
  std::cerr << (terminal_ ? "\r\x1b[K" : "") + progress_line(plan_, agenda, results_)
                 + (terminal_ ? "" : "\n")
            << std::flush;
}

void GridConsole::say(const std::string& line) const {
  std::cerr << (terminal_ ? "\r\x1b[K" : "") + line + "\n" << std::flush;
}

void GridConsole::sum_up() const {
  if (told_again_ > 0)
    say("and " + std::to_string(told_again_)
        + " more failures for the same reasons; all are in the journal");
}

/// One mistake in a file fails all runs alike: its sentence is told once.
void GridConsole::tell_failure(const TrialEnded& ended, const GridAgenda& agenda) {
  const auto line = failure_line(plan_, agenda, ended);
  if (line.empty())
    return;
  if (told_.emplace(ended.reason, agenda.gives_up_after(ended)).second)
    say(line);
  else
    ++told_again_;
}

} // namespace troupe
