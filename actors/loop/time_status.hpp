#pragma once

#include "actors/loop/subscriptions.hpp"
#include "messages/loop/gradient_time.hpp"
#include "messages/loop/run_state.hpp"
#include "messages/timing/spent_time.hpp"

#include <functional>

namespace troupe {

/// Decides when a trainer's status says what its time went to, and what it says: at the ends of
/// epochs, but not of many short ones, and in the middle of long ones.
class TimeStatus {
public:
  /// @param use what the process has had of its cores; null: unknown, as under virtual time
  void start(const RunState& run, double now, std::function<CoreUse()> use);

  void hold(double now) { held_since_ = now; }
  void go_on(double now);

  bool is_due_after_epoch(double now) const { return now - last_ >= 1; }
  bool is_due(double now) const { return now - last_ >= 10; }
  Records records(const RunState& run, const Subscriptions& subscriptions, double now);

  GradientTime gradient; ///< of the batches since the start

private:
  double last_ = 0, began_ = 0; ///< seconds on the clock
  double training_before_ = 0, reading_before_ = 0;
  Step batches_before_ = 0;
  double held_seconds_ = 0;
  std::optional<double> held_since_;
  std::function<CoreUse()> use_;
  CoreUse use_before_;
};

} // namespace troupe
