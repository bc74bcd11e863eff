// Turns off synchronisation for many small files, where waiting for the disk after each takes too
// long.
#pragma once

namespace troupe {

/// While a pause exists, the files that its thread writes (durable_file.hpp) are not synchronised.
/// A reader still sees the old version or the new one, and a killed process loses none, but a power
/// failure may leave them empty.
class SynchronisingPause {
public:
  explicit SynchronisingPause(bool wanted) : before_(paused) { paused = paused || wanted; }
  ~SynchronisingPause() { paused = before_; }
  SynchronisingPause(const SynchronisingPause&) = delete;
  SynchronisingPause& operator=(const SynchronisingPause&) = delete;

  /// True while this thread has a pause.
  static bool here() { return paused; }

private:
  static inline thread_local bool paused = false;
  bool before_;
};

} // namespace troupe
