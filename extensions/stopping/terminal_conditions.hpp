// Ends training as MI-Prometheus' trainers do, and says how it ended.
#pragma once

#include "extensions/support/row_deadline.hpp"
#include "extensions/support/row_gate.hpp"
#include "messages/loop/terminal_conditions.hpp"

namespace troupe {

struct TerminalConditionsOptions {
  TrainerKind trainer = TrainerKind::offline;
  TerminalLimits limits = {};
  std::string record = "validation_loss"; ///< the loss of a validation
  Epoch curriculum_epochs = 0;    ///< have to be done before a low loss ends training; 0: none
  double deadline = row_deadline; ///< seconds for a row to be complete
  FIELDS(trainer, limits, record, curriculum_epochs, deadline);
};

/// on_resumption, after_epoch, on_interrupt, after_training. Add after_batch where the record is
/// written and at the limit of episodes.
Conditions terminal_conditions_conditions();

inline constexpr const char* training_status = "training_status"; ///< the record, at the end
inline constexpr const char* training_causes = "training_causes"; ///< in the log's status: all

/// Carries TerminalConditions. At the end it records `training_status`, and keeps it with all
/// causes in the log's status: `training_status`, `training_causes` with "; " between them.
class TerminalGate : public RowRule {
public:
  /// @throws std::invalid_argument for limits that cannot be.
  explicit TerminalGate(const TerminalConditionsOptions& options);

  RowDecision decide(const LoopEvent& event, const Records& row) override;
  std::string awaited_record() const override { return ""; }
  /// Status and causes are in it, too, for whoever reads a saved run.
  Records state() const override;
  void restore(const Records& state) override;

private:
  GateAnswer answer(const LoopEvent& event, const std::vector<TerminalCause>& causes) const;
  Records in_words() const;

  std::string record_;
  TerminalConditions conditions_;
};

/// @throws std::invalid_argument for invalid options.
void check(const TerminalConditionsOptions& options);

/// A gate (see row_gate.hpp), to be subscribed after who writes the record.
/// @throws std::invalid_argument for limits that cannot be.
Extension spawn_terminal_conditions(caf::actor_system& system,
                                    const TerminalConditionsOptions& options, Logger logger);

} // namespace troupe
