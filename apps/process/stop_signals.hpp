// How urgently the signals that a launcher received ask its run to end.
#pragma once

#include <optional>

namespace troupe {

/// Counts like Interrupts in each process: the first SIGINT ends training after the epoch, the
/// second and any other signal after the batch. Any further signal insists: the processes that are
/// left hang, or are not worth waiting for.
class StopSignals {
public:
  /// Signals other than SIGINT within this many seconds count as one: `timeout` and schedulers
  /// signal both a process and its group.
  static constexpr double one_signal = 1;

  /// @param now in seconds, of a monotonic clock
  void hear(int number, double now);

  bool any() const { return level_ > 0; }
  bool insists() const { return level_ > after_batch; }

private:
  static constexpr int after_batch = 2;

  int level_ = 0;
  std::optional<double> last_; ///< time of the last signal other than SIGINT
};

} // namespace troupe
