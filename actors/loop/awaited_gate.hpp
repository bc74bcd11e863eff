#pragma once

#include "actors/loop/subscriptions.hpp"

#include <cstdint>
#include <memory>

namespace troupe {

/// The gate whose answer training waits for, if any.
class AwaitedGate {
public:
  /// Result of a check of the time.
  enum class Check : std::uint8_t {
    in_time,
    report, ///< report that training waits: once for each request, after 2 s
    late,   ///< its deadline has passed
  };

  /// Whether `check`, called at least once a second, detects the deadline of this gate. A timer for
  /// each request takes nearly half of the time of a call, so only short deadlines have one.
  static bool is_checked(const Subscription& gate) { return gate.deadline > most_seconds; }

  /// Training waits from now on. @returns a ticket that distinguishes the answer from late ones.
  std::uint64_t await(std::shared_ptr<Subscription> gate, double now);
  /// Ends the wait. @returns the seconds waited, which are also added to the gate's.
  double release(double now);

  explicit operator bool() const { return gate_ != nullptr; }
  bool is(std::uint64_t ticket) const { return gate_ && ticket == ticket_; }
  bool is(const Subscription& gate) const { return gate_.get() == &gate; }
  std::uint64_t ticket() const { return ticket_; }
  double since() const { return since_; } ///< seconds on the clock
  const std::shared_ptr<Subscription>& gate() const { return gate_; }

  Check check(double now);
  /// Seconds until the next check.
  double seconds_to_check(double now) const;

private:
  static constexpr double most_seconds = 1; ///< between two checks

  std::shared_ptr<Subscription> gate_; ///< null: none
  double since_ = 0;
  std::uint64_t ticket_ = 0; ///< of the last request
  bool reported_ = false;
};

} // namespace troupe
