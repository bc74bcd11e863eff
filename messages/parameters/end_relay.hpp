#pragma once

#include "messages/loop/loop.hpp"

#include <cstdint>
#include <optional>

namespace troupe {

/// Relays the end of a run between a worker and its parameter holder.
///
/// If the worker left at once, the rounds of those that have not heard of the end would close
/// without it. So its trainer hears of it when they have, with their next renewals. The message is
/// lost with its connection, and forgotten by a holder that is started anew from its file: it is
/// repeated until the answer to a renewal says that the holder has it.
class EndRelay {
public:
  enum class Act : std::uint8_t {
    nothing,
    tell_holder, ///< `stop()`
    pass_on,     ///< `stop()`, to the worker's trainer: once for a training
    report,      ///< tell people that it waits for the holder: once
    give_up,     ///< tell people that the others do not hear of it; then pass it on
  };

  /// The worker's own trainer wants all workers to end.
  /// @returns false where training is ending already: the first reason counts.
  bool begin(const StopAll& stop, double now);
  /// What the answer to a renewal says; without a reason: the holder does not know of any end.
  /// @param lease seconds after which all others have heard of it, too
  Act hear(const StopAll& stop, double now, double lease);
  /// The connection to the holder was lost: its next process may have to be told again.
  void lose_holder();
  /// @param deadline seconds for which the holder is waited for
  Act check(double now, double deadline);
  /// The others cannot be told.
  Act give_up();

  const StopAll& stop() const { return stop_; } ///< of the last act

private:
  struct Own { ///< asked for by the worker's own trainer
    StopAll stop;
    double since = 0;
    std::optional<double> heard_at; ///< when all others have heard of it, once the holder has
    bool reported = false;
  };

  Act pass_on(const StopAll& stop);

  std::optional<Own> own_;
  bool passed_on_ = false;
  StopAll stop_;
};

} // namespace troupe
