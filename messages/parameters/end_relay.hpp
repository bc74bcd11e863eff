#pragma once

#include "messages/loop/loop.hpp"

#include <cstdint>
#include <optional>

namespace troupe {

/// Relays the end of a run between a worker and its parameter holder.
///
/// If the worker left at once, the rounds of workers that do not know of the end would close
/// without it. So its trainer is notified when they know of it, with their next renewals. The
/// message is lost if the connection is, and forgotten by a holder restarted from its file, so it
/// is repeated until the answer to a renewal shows that the holder has it.
class EndRelay {
public:
  enum class Action : std::uint8_t {
    nothing,
    notify_holder, ///< `stop()`
    pass_on,       ///< `stop()`, to the worker's trainer: once per training
    report,        ///< report once that it waits for the holder
    give_up,       ///< report that the others do not learn of it; then pass it on
  };

  /// The worker's own trainer requests the end of all workers.
  /// @returns false if training is ending already: the first reason counts.
  bool begin(const StopAll& stop, double now);
  /// Processes the answer to a renewal; without a reason the holder does not know of any end.
  /// @param lease seconds after which all others know of it, too
  Action update(const StopAll& stop, double now, double lease);
  /// The connection to the holder was lost: its next process may not know of the end.
  void lose_holder();
  /// @param deadline how long to wait for the holder, in seconds
  Action check(double now, double deadline);
  /// The others cannot be notified.
  Action give_up();

  const StopAll& stop() const { return stop_; } ///< of the last action

private:
  struct Own { ///< requested by the worker's own trainer
    StopAll stop;
    double since = 0;
    std::optional<double> known_at; ///< when all others know of it; set once the holder does
    bool reported = false;
  };

  Action pass_on(const StopAll& stop);

  std::optional<Own> own_;
  bool passed_on_ = false;
  StopAll stop_;
};

} // namespace troupe
