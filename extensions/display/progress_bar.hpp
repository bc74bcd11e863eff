// Draws the progress of training: epochs and batches, examples per second, loss, time left.
#pragma once

#include "messages/log/log.hpp"
#include "messages/loop/extension.hpp"

namespace troupe {

struct ProgressBarOptions {
  int width = 24;      ///< columns of the bar itself
  bool unicode = true; ///< false: only ASCII
  TROUPE_FIELDS(width, unicode);
};

/// Ten times a second, and at the start and end of epochs and of training.
Conditions progress_bar_conditions();

/// Turns events into the text of the bar. Rates are smoothed over about two seconds.
class ProgressText {
public:
  explicit ProgressText(ProgressBarOptions options = {}) : options_(options) {}
  std::string text(const LoopEvent& event);

private:
  ProgressBarOptions options_;
  double last_seconds_ = 0;
  std::uint64_t last_examples_ = 0;
  double rate_ = 0; ///< examples per second; 0: unknown
  bool seen_ = false;
};

/// The bar of a single pass: "━━━─── 2560/4000 examples  10k examples/s  eta 0:01".
/// @param seconds since it began
std::string pass_text(Index done, Index all, double seconds,
                      const ProgressBarOptions& options = {});

/// An observer. It shows its line through the logger, which redraws it on a terminal and writes a
/// line every few seconds to a file. It ends when no handle to it is left.
Extension spawn_progress_bar(caf::actor_system& system, ProgressBarOptions options, Logger logger);

} // namespace troupe
