#pragma once

#include <cstdint>
#include <optional>
#include <utility>

namespace troupe {

/// Keeps an interrupted worker from waiting for others: other workers may be paused for any time,
/// but an interrupted one has little time to save.
class InterruptWatch {
public:
  static constexpr double quick_answer = 1; ///< seconds that an exchange may take without a check

  enum class Action : std::uint8_t {
    nothing,
    ask,          ///< ask the trainers whether they are interrupted
    stop_waiting, ///< for exchanges
  };

  /// @param waits whether an exchange has waited for longer than a quick answer takes
  Action check(bool waits, double now) {
    constexpr double ask_every = 0.5, last_patience = 2; // seconds
    if (!waits)
      return Action::nothing;
    if (since_)
      return now - *since_ >= last_patience ? Action::stop_waiting : Action::nothing;
    if (now < ask_from_)
      return Action::nothing;
    ask_from_ = now + ask_every;
    return Action::ask;
  }

  /// A trainer is interrupted from outside.
  void interrupted(double now) {
    if (!since_)
      since_ = now;
  }

  /// Whether to report that the worker no longer waits: once per training, since its last sync may
  /// hang, too.
  bool is_report_due() { return !std::exchange(reported_, true); }

private:
  std::optional<double> since_; ///< time of the first interrupt
  double ask_from_ = 0;
  bool reported_ = false;
};

} // namespace troupe
