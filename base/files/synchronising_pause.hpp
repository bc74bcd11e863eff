// Files of which there are too many to wait for the disk after each.
#pragma once

namespace troupe {

/// While one lives, files that its thread writes (durable_file.hpp) are not handed to the disk:
/// they are still the old one or the new one for whoever looks, and a killed process loses none,
/// but a machine that loses its power may leave them empty.
class SynchronisingPause {
public:
  explicit SynchronisingPause(bool wanted) : before_(paused) { paused = paused || wanted; }
  ~SynchronisingPause() { paused = before_; }
  SynchronisingPause(const SynchronisingPause&) = delete;
  SynchronisingPause& operator=(const SynchronisingPause&) = delete;

  /// Whether one lives in this thread.
  static bool here() { return paused; }

private:
  static inline thread_local bool paused = false;
  bool before_;
};

} // namespace troupe
