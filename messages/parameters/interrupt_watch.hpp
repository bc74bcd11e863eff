#pragma once

#include <cstdint>
#include <optional>
#include <utility>

namespace troupe {

/// Keeps a worker that is told to end from waiting for others: they may stand for as long as they
/// like, but a worker that is interrupted has little time to save.
class InterruptWatch {
public:
  static constexpr double quick_answer = 1; ///< seconds that an exchange may take without a check

  enum class Act : std::uint8_t {
    nothing,
    ask,    ///< the trainers, whether they are interrupted
    let_go, ///< of the exchanges that wait
  };

  /// @param waits whether an exchange has waited for longer than a quick answer takes
  Act check(bool waits, double now) {
    constexpr double ask_every = 0.5, last_patience = 2; // seconds
    if (!waits)
      return Act::nothing;
    if (since_)
      return now - *since_ >= last_patience ? Act::let_go : Act::nothing;
    if (now < ask_from_)
      return Act::nothing;
    ask_from_ = now + ask_every;
    return Act::ask;
  }

  /// A trainer is told to end from outside.
  void interrupted(double now) {
    if (!since_)
      since_ = now;
  }

  /// Whether people are to be told that others are not waited for: once for a training, whose last
  /// sync may hang, too.
  bool is_report_due() { return !std::exchange(reported_, true); }

private:
  std::optional<double> since_; ///< when it was first heard of
  double ask_from_ = 0;
  bool reported_ = false;
};

} // namespace troupe
