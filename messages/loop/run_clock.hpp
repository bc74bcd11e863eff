#pragma once

namespace troupe {

/// The seconds of a run on a clock that counts from a moment of its own. A run that goes on counts
/// what it took before, too.
class RunClock {
public:
  /// Training starts, `seconds` after the run's beginning.
  void start(double now, double seconds) {
    started_at_ = now;
    before_ = seconds;
  }
  /// It continues from a state that was taken `seconds` after the run's beginning.
  void place(double now, double seconds) { before_ = seconds - (now - started_at_); }

  double since_start(double now) const { return now - started_at_; }
  double seconds(double now) const { return before_ + (now - started_at_); }

  /// Keeps a reading of the clock: between two batches it is not read again.
  void tick(double now) { latest_ = now; }
  double latest() const { return latest_; }

private:
  double started_at_ = 0, before_ = 0;
  double latest_ = 0;
};

} // namespace troupe
