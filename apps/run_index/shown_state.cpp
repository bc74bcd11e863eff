#include "apps/run_index/shown_state.hpp"

#include <array>

namespace troupe {

std::string to_string(ShownState state) {
  constexpr std::array<const char*, 7> names{"new",     "training", "paused", "done",
                                             "stopped", "failed",   "lost"};
  return names[static_cast<std::size_t>(state)];
}

ShownState shown_state(const FolderFacts& facts) {
  if (facts.locked && !facts.log_ended)
    return facts.paused ? ShownState::paused : ShownState::training;
  if (!facts.has_log)
    return facts.outcome == "failed" ? ShownState::failed : ShownState::fresh;
  if (!facts.log_ended)
    return ShownState::lost;
  if (facts.outcome == "failed")
    return ShownState::failed;
  return facts.outcome == "interrupted" ? ShownState::stopped : ShownState::done;
}

} // namespace troupe
