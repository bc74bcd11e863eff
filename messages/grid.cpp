#include "troupe/messages/grid.hpp"

#include <array>

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
  for (const auto known : trial_outcomes)
    if (text == to_string(known)) {
      outcome = known;
      return true;
    }
  return false;
}

} // namespace troupe
