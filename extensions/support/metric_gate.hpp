// Spawns gates that decide from a row of the log.
#pragma once

#include "messages/log/log.hpp"
#include "messages/loop/extension.hpp"

#include <memory>
#include <string>

namespace troupe {

/// The answer, and status records that the logger keeps for the whole run ("best_validation_loss").
struct MetricDecision {
  GateAnswer answer;   ///< for the trainer
  Records status = {}; ///< to be kept
};

/// Decides from a row; a value without an actor.
class MetricRule {
public:
  virtual ~MetricRule() = default;

  /// @throws std::invalid_argument for a row that does not allow a decision.
  virtual MetricDecision decide(const LoopEvent& event, const Records& row) = 0;

  /// The record that the rule needs and has not seen yet; "" once it has.
  virtual std::string awaited_record() const = 0;

  /// For a checkpoint.
  virtual SavedFields state() const = 0;
  /// Continues from a saved state.
  virtual void restore(const SavedFields& state) = 0;
};

/// A gate that reads the event's row once all announced records have arrived (such as metrics of an
/// evaluator that training does not wait for), and answers with the decision. Subscribe it after
/// the gates that write what it reads; records of observers may come too late for it.
///
/// A row that is incomplete at the deadline, or that does not allow a decision, is the gate's
/// error. If no row had the awaited record, Drain prints a warning. As an observer it can only
/// write records. It ends when no handle to it is left.
/// @param name in messages, such as "early_stopping"
/// @param deadline seconds for a row to be complete, > 0
/// @throws std::invalid_argument for a deadline that is not > 0.
Extension spawn_metric_gate(caf::actor_system& system, const std::string& name,
                            std::shared_ptr<MetricRule> rule, Logger logger, double deadline);

} // namespace troupe
