#include "messages/grid/grid.hpp"

#include "base/text/known_word.hpp"

#include <array>
#include <limits>

namespace troupe {

namespace {

constexpr std::array trial_outcomes{TrialOutcome::done, TrialOutcome::failed, TrialOutcome::refused,
                                    TrialOutcome::stopped};

} // namespace

std::string to_string(TrialOutcome outcome) {
  switch (outcome) {
  case TrialOutcome::done: return "done";
  case TrialOutcome::failed: return "failed";
  case TrialOutcome::refused: return "refused";
  case TrialOutcome::stopped: return "stopped";
  }
  return "?";
}

bool from_text(std::string_view text, TrialOutcome& outcome) {
  return from_known_word(text, outcome, trial_outcomes);
}

TrialEnded end_of(const RunTrial& trial, TrialOutcome outcome, const std::string& reason,
                  const std::string& node) {
  TrialEnded ended;
  ended.run = trial.run;
  ended.attempt = trial.attempt;
  ended.rung = trial.rung;
  ended.outcome = outcome;
  ended.reason = reason;
  ended.score = std::numeric_limits<double>::quiet_NaN();
  ended.node = node;
  return ended;
}

} // namespace troupe
