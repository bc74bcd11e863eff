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

void GridConsole::report(const TrialEnded& ended, const GridQueue& queue) {
  results_.add(ended);
  report_failure(ended, queue);
  report_missing_score(ended);
  const auto now = LineClock::now();
  const auto wait = line_.redraws() ? LineClock::duration{between_lines} : between_reports;
  if (quiet_ || now - shown_ < wait)
    return;
  shown_ = now;
  line_.show(progress_line(plan_, queue, results_));
}

void GridConsole::recall(const TrialEnded& ended) {
  results_.add(ended);
  report_missing_score(ended);
}

void GridConsole::say(const std::string& line) const {
  std::cerr << (line_.redraws() ? "\r\x1b[K" : "") + line + "\n" << std::flush;
}

void GridConsole::print_summary() const {
  if (repeated_ > 0)
    say("and " + quantity(repeated_, "more failure")
        + " for the same reasons; all are in the journal");
}

/// A mistake in a file fails all runs alike, so each reason is printed once.
void GridConsole::report_failure(const TrialEnded& ended, const GridQueue& queue) {
  const auto line = failure_line(plan_, queue, ended);
  if (line.empty())
    return;
  if (reported_.emplace(ended.reason, queue.is_last_attempt(ended)).second)
    say(line);
  else
    ++repeated_;
}

/// A misspelled record affects all runs, so it is reported after the first one, while the grid can
/// still be corrected.
void GridConsole::report_missing_score(const TrialEnded& ended) {
  if (score_checked_ || ended.outcome != TrialOutcome::done || !std::isnan(ended.score))
    return;
  score_checked_ = true;
  if (const auto line = missing_score_line(plan_, ended.run); !line.empty())
    say(line);
}

} // namespace troupe
