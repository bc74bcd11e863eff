// Draws how far training is: epochs and batches, examples per second, loss, time left.
#pragma once

#include "messages/log/log.hpp"
#include "messages/loop/extension.hpp"

namespace troupe {

struct ProgressBarOptions {
  int width = 24;      ///< columns of the bar itself
  bool unicode = true; ///< false: only ASCII
  FIELDS(width, unicode);
};

/// Ten times a second, and at the borders of epochs and of training.
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
  double rate_ = 0; ///< examples per second; 0: not known yet
  bool seen_ = false;
};

/// The bar of a single pass: "━━━─── 2560/4000 examples  10k examples/s  eta 0:01".
/// @param seconds since it began
std::string pass_text(Index done, Index all, double seconds,
                      const ProgressBarOptions& options = {});

/// An observer; it shows its line through the logger, where a terminal redraws it and a file gets a
/// line now and then. It ends when nobody holds a handle to it any more.
Extension spawn_progress_bar(caf::actor_system& system, ProgressBarOptions options, Logger logger);

} // namespace troupe
