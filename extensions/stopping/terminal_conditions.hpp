// Ends training as the trainers of MI-Prometheus do, and records how it ended.
#pragma once

#include "extensions/support/metric_gate.hpp"
#include "extensions/support/row_deadline.hpp"
#include "messages/loop/termination.hpp"

namespace troupe {

struct TerminalConditionsOptions {
  TrainerKind trainer = TrainerKind::offline; ///< the unit in which training is measured
  TerminationLimits limits = {};              ///< when training ends
  std::string record = "validation_loss";     ///< the loss of a validation
  Epoch curriculum_epochs = 0;    ///< epochs before a low loss may end training; 0: none
  double deadline = row_deadline; ///< seconds for a row to be complete
  TROUPE_FIELDS(trainer, limits, record, curriculum_epochs, deadline);
};

/// on_resumption, after_epoch, on_interrupt, after_training. Add after_batch if the record is
/// written there, and for the limit of episodes.
Conditions terminal_conditions_conditions();

inline constexpr const char* training_status = "training_status"; ///< record at the end
inline constexpr const char* training_causes
  = "training_causes"; ///< all causes, in the log's status

/// Evaluates Termination. At the end it records `training_status`, and writes to the log's
/// status `training_status` and `training_causes`, separated by "; ".
class TerminalGate : public MetricRule {
public:
  /// @throws std::invalid_argument for invalid limits.
  explicit TerminalGate(const TerminalConditionsOptions& options);

  MetricDecision decide(const LoopEvent& event, const Records& row) override;
  std::string awaited_record() const override { return ""; }
  SavedFields state() const override;
  void restore(const SavedFields& state) override;

private:
  GateAnswer answer(const LoopEvent& event, const std::vector<TerminationCause>& causes) const;
  Records status_records() const;

  std::string record_;
  Termination conditions_;
};

/// @throws std::invalid_argument for invalid options.
void check(const TerminalConditionsOptions& options);

/// A gate (see metric_gate.hpp). Subscribe it after the extension that writes the record.
/// @throws std::invalid_argument for invalid limits.
Extension spawn_terminal_conditions(caf::actor_system& system,
                                    const TerminalConditionsOptions& options, Logger logger);

} // namespace troupe
