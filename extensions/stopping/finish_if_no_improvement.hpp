// Ends training when a record has not improved for some time.
#pragma once

#include "extensions/support/metric_gate.hpp"
#include "extensions/support/row_deadline.hpp"
#include "messages/evaluation/patience.hpp"

namespace troupe {

/// Give either `epochs` or `batches`; 0: not given.
struct FinishIfNoImprovementOptions {
  std::string notification = "validation_loss_best_so_far"; ///< the record that says "best"
  Epoch epochs = 0;                 ///< number of epochs without a best row that end training
  Step batches = 0;                 ///< the same in batches, instead of `epochs`; 0: not given
  std::string patience_record = {}; ///< "": `<notification>_patience_epochs`, or `_batches`
  double deadline = row_deadline;   ///< seconds for a row to be complete
  TROUPE_FIELDS(notification, epochs, batches, patience_record, deadline);
};

/// after_epoch.
Conditions finish_if_no_improvement_conditions();

/// The name of the record with the remaining patience.
std::string patience_record_of(const FinishIfNoImprovementOptions& options);
/// The same where it may not be known yet what is counted, with a '*' for that.
std::string patience_records_of(const FinishIfNoImprovementOptions& options);

/// Writes the remaining patience, and ends training when it is 0 or less. It counts from the last
/// row with a truthy notification; before the first such row it does nothing.
class FinishIfNoImprovement : public MetricRule {
public:
  /// @throws std::invalid_argument for both epochs and batches, neither of them, or no
  /// notification.
  explicit FinishIfNoImprovement(const FinishIfNoImprovementOptions& options);

  MetricDecision decide(const LoopEvent& event, const Records& row) override;
  std::string awaited_record() const override { return patience_.begun() ? "" : notification_; }
  SavedFields state() const override;
  void restore(const SavedFields& state) override;

private:
  std::string notification_, patience_record_;
  Patience patience_;
};

/// @throws std::invalid_argument for invalid options.
void check(const FinishIfNoImprovementOptions& options);

/// A gate (see metric_gate.hpp). Subscribe it after the extension that writes the notification.
/// @throws std::invalid_argument for invalid options.
Extension spawn_finish_if_no_improvement(caf::actor_system& system,
                                         const FinishIfNoImprovementOptions& options,
                                         Logger logger);

} // namespace troupe
