// The state of a run, from what its folder shows.
#pragma once

#include <cstdint>
#include <string>

namespace troupe {

enum class ShownState : std::uint8_t {
  fresh, ///< it has no log yet
  training,
  paused, ///< by remote control
  done,
  stopped, ///< it ended early and can be resumed
  failed,
  lost, ///< its log has no end, and no process trains in its folder
};

std::string to_string(ShownState state); ///< "new" for fresh

/// Whether a process works in the folder.
constexpr bool is_alive(ShownState state) {
  return state == ShownState::training || state == ShownState::paused;
}

struct FolderFacts {
  bool has_log = false;
  bool log_ended = false; ///< in good order, and not started again
  bool locked = false;    ///< a process trains in the folder
  bool paused = false;    ///< the last order that it carried out
  std::string outcome;    ///< "finished", "interrupted", "failed"; "": unknown
};

ShownState shown_state(const FolderFacts& facts);

} // namespace troupe
