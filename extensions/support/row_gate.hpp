// What extensions share that decide from the row of the log.
#pragma once

#include "messages/log/log.hpp"
#include "messages/loop/extension.hpp"

#include <memory>
#include <string>

namespace troupe {

/// What was decided, and what the logger shall keep for the whole run ("best_validation_loss").
struct RowDecision {
  GateAnswer answer;
  Records status = {};
};

/// The decision, without an actor in sight.
class RowRule {
public:
  virtual ~RowRule() = default;

  /// @throws std::invalid_argument for a row that it cannot decide from.
  virtual RowDecision look(const LoopEvent& event, const Records& row) = 0;

  /// The record that it has not met yet and cannot do without; "" once it has.
  virtual std::string awaited_record() const = 0;

  /// For a checkpoint.
  virtual Records state() const = 0;
  virtual void restore(const Records& state) = 0;
};

/// A gate that reads the event's row once everything announced for it has come (metrics of an
/// evaluator that training did not wait for), and answers with the decision. Subscribe it after
/// those who write what it reads; what observers write may come too late for it.
///
/// A row that is not complete in time, and one that cannot be decided from, is the gate's error.
/// Where what it seeks was in no row, Drain says so to people. As an observer it can only write
/// records. It ends when nobody holds a handle to it any more.
/// @param name for people, "early_stopping"
/// @param deadline seconds for a row to be complete, > 0
/// @throws std::invalid_argument for another deadline.
Extension spawn_row_gate(caf::actor_system& system, const std::string& name,
                         std::shared_ptr<RowRule> decision, Logger logger, double deadline);

} // namespace troupe
