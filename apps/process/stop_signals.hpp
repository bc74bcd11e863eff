// How hard the signals that a launcher has had ask its run to end.
#pragma once

#include <optional>

namespace troupe {

/// As Interrupts counts them in each process: the first SIGINT ends training after the epoch, the
/// second and any other signal after the batch. Whatever comes then insists: whoever is still there
/// hangs, or is not worth waiting for.
class StopSignals {
public:
  /// Other signals than SIGINT that come within so many seconds are one: `timeout` and schedulers
  /// send theirs to a process and to its group.
  static constexpr double one_signal = 1;

  /// @param now in seconds, of a clock that never goes back
  void hear(int number, double now);

  bool any() const { return level_ > 0; }
  bool insists() const { return level_ > after_batch; }

private:
  static constexpr int after_batch = 2;

  int level_ = 0;
  std::optional<double> last_; ///< when one was heard that is not SIGINT
};

} // namespace troupe
