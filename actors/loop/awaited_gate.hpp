#pragma once

#include "actors/loop/subscriptions.hpp"

#include <cstdint>
#include <memory>

namespace troupe {

/// The gate whose answer training waits for, where there is one.
class AwaitedGate {
public:
  /// What a look at the time shows.
  enum class Check : std::uint8_t {
    in_time,
    report, ///< people are to be told that training waits: once for a question, after 2 s
    late,   ///< its deadline has passed
  };

  /// Whether the deadline of this gate is found out by `check`, made every second or sooner. A
  /// timer of its own for each question makes up nearly half of the whole call, so only short
  /// deadlines have one.
  static bool is_checked(const Subscription& gate) { return gate.deadline > most_seconds; }

  /// Training waits from now on. @returns a ticket, which tells the answer from late ones.
  std::uint64_t await(std::shared_ptr<Subscription> gate, double now);
  /// It does no longer; the gate and the caller count for how many seconds it did.
  double release(double now);

  explicit operator bool() const { return gate_ != nullptr; }
  bool is(std::uint64_t ticket) const { return gate_ && ticket == ticket_; }
  bool is(const Subscription& gate) const { return gate_.get() == &gate; }
  std::uint64_t ticket() const { return ticket_; }
  const std::shared_ptr<Subscription>& gate() const { return gate_; }

  Check check(double now);
  /// Until the next check is to be made.
  double seconds_to_check(double now) const;

private:
  static constexpr double most_seconds = 1; ///< from one check to the next

  std::shared_ptr<Subscription> gate_; ///< null: none
  double since_ = 0;
  std::uint64_t ticket_ = 0; ///< of the last question
  bool reported_ = false;
};

} // namespace troupe
