#include "messages/grid/grid.hpp"

#include <array>
#include <limits>

namespace troupe {

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
