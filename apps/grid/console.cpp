#include "apps/grid/console.hpp"

#include "base/text/text.hpp"

#include <cmath>
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
    results_(plan.options().settings.choose) {}

void GridConsole::tell(const TrialEnded& ended, const GridQueue& queue) {
  results_.add(ended);
  tell_failure(ended, queue);
  tell_lack_of_score(ended);
  const auto now = LineClock::now();
  const auto wait = line_.redraws() ? LineClock::duration{between_lines} : between_reports;
  if (quiet_ || now - shown_ < wait)
    return;
  shown_ = now;
  line_.show(progress_line(plan_, queue, results_));
}

void GridConsole::recall(const TrialEnded& ended) {
  results_.add(ended);
  tell_lack_of_score(ended);
}

void GridConsole::say(const std::string& line) const {
  std::cerr << (line_.redraws() ? "\r\x1b[K" : "") + line + "\n" << std::flush;
}

void GridConsole::sum_up() const {
  if (told_again_ > 0)
    say("and " + counted(told_again_, "more failure")
        + " for the same reasons; all are in the journal");
}

/// One mistake in a file fails all runs alike: its sentence is told once.
void GridConsole::tell_failure(const TrialEnded& ended, const GridQueue& queue) {
  const auto line = failure_line(plan_, queue, ended);
  if (line.empty())
    return;
  if (told_.emplace(ended.reason, queue.gives_up_after(ended)).second)
    say(line);
  else
    ++told_again_;
}

/// A misspelled record is that of all runs: it is told after the first one, while there is still
/// something to be saved.
void GridConsole::tell_lack_of_score(const TrialEnded& ended) {
  if (looked_for_score_ || ended.outcome != TrialOutcome::done || !std::isnan(ended.score))
    return;
  looked_for_score_ = true;
  if (const auto line = missing_score_line(plan_, ended.run); !line.empty())
    say(line);
}

} // namespace troupe
