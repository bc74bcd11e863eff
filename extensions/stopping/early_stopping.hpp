// Ends training when a record has not improved for some time, and marks the best rows so far.
#pragma once

#include "extensions/stopping/finish_if_no_improvement.hpp"
#include "extensions/stopping/track_the_best.hpp"

namespace troupe {

/// Give either `epochs` or `batches`; 0: not given.
struct EarlyStoppingOptions {
  std::string record = "validation_loss"; ///< the number to compare
  Choose choose = Choose::by_name;        ///< which is better
  Epoch epochs = 0;              ///< number of epochs without improvement that end training
  Step batches = 0;              ///< the same in batches, instead of `epochs`; 0: not given
  std::string notification = {}; ///< the record written at a best row; "": `<record>_best_so_far`
  std::string patience_record = {}; ///< "": `<notification>_patience_epochs`, or `_batches`
  OnNan nan = OnNan::stop;          ///< what a record that is not a number does
  double deadline = row_deadline;   ///< seconds for a row to be complete
  std::string save_to = "best.bin"; ///< file for the best state in the run's folder; "": not saved.
                                    ///< The session attaches the checkpoint
  bool test_best = true; ///< the run's result is about the best state; false: the last one
  TROUPE_FIELDS(record, choose, epochs, batches, notification, patience_record, nan, deadline,
                save_to, test_best);
};

/// after_epoch.
Conditions early_stopping_conditions();

/// The name of the record that marks the best row so far. A checkpoint subscribed after it, with
/// the condition `on_record(notification_of(options))` on the same callbacks, saves the best model.
std::string notification_of(const EarlyStoppingOptions& options);

/// TrackTheBest, followed by FinishIfNoImprovement with its notification.
class EarlyStopping : public MetricRule {
public:
  /// @throws std::invalid_argument for both epochs and batches, neither of them, or no record.
  explicit EarlyStopping(const EarlyStoppingOptions& options);

  MetricDecision decide(const LoopEvent& event, const Records& row) override;
  std::string awaited_record() const override { return track_.awaited_record(); }
  SavedFields state() const override;
  void restore(const SavedFields& state) override;

private:
  TrackTheBest track_;
  FinishIfNoImprovement finish_;
};

/// @throws std::invalid_argument for invalid options.
void check(const EarlyStoppingOptions& options);

/// A gate (see metric_gate.hpp). Subscribe it after the extension that writes the record.
/// @throws std::invalid_argument for invalid options.
Extension spawn_early_stopping(caf::actor_system& system, const EarlyStoppingOptions& options,
                               Logger logger);

} // namespace troupe
