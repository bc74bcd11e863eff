#pragma once

namespace troupe {

/// The seconds of a run, from a clock with an arbitrary origin. A resumed run includes the seconds
/// before.
class RunClock {
public:
  /// Training starts, `seconds` after the run began.
  void start(double now, double seconds) {
    started_at_ = now;
    before_ = seconds;
  }
  /// Training continues from a state saved `seconds` after the run began.
  void place(double now, double seconds) { before_ = seconds - (now - started_at_); }

  double since_start(double now) const { return now - started_at_; }
  double seconds(double now) const { return before_ + (now - started_at_); }

  /// Stores a reading of the clock; it is not read again between two batches.
  void tick(double now) { latest_ = now; }
  double latest() const { return latest_; }

private:
  double started_at_ = 0, before_ = 0;
  double latest_ = 0;
};

} // namespace troupe
