// Ends training when a record has not become better for some time, and says which rows were the
// best so far.
#pragma once

#include "extensions/stopping/finish_if_no_improvement.hpp"
#include "extensions/stopping/track_the_best.hpp"

namespace troupe {

/// Give `epochs` or `batches`; 0 is not given.
struct EarlyStoppingOptions {
  std::string record = "validation_loss"; ///< the number to compare
  Choose choose = Choose::by_name;        ///< which is better
  Epoch epochs = 0;                       ///< so many without improvement end training
  Step batches = 0;
  std::string notification = {}; ///< the record written at a best row; "": `<record>_best_so_far`
  std::string patience_record = {}; ///< "": `<notification>_patience_epochs`, or `_batches`
  OnNan nan = OnNan::stop;
  double deadline = row_deadline;   ///< seconds for a row to be complete
  std::string save_to = "best.bin"; ///< the best state, in the run's folder; "": not saved. The
                                    ///< composition of the run sees to it
  bool test_best = true; ///< the best state is what the run's result is about; false: the last one
  FIELDS(record, choose, epochs, batches, notification, patience_record, nan, deadline, save_to,
         test_best);
};

/// after_epoch.
Conditions early_stopping_conditions();

/// The name of the record that says that a row is the best so far. A checkpoint that is subscribed
/// later, with the condition `on_record(notification_of(options))` on the same callbacks, saves the
/// best model.
std::string notification_of(const EarlyStoppingOptions& options);

/// TrackTheBest, and behind it FinishIfNoImprovement with its notification.
class EarlyStopping : public RowRule {
public:
  /// @throws std::invalid_argument for both of epochs and batches, or none, or no record.
  explicit EarlyStopping(const EarlyStoppingOptions& options);

  RowDecision decide(const LoopEvent& event, const Records& row) override;
  std::string awaited_record() const override { return track_.awaited_record(); }
  Records state() const override;
  void restore(const Records& state) override;

private:
  TrackTheBest track_;
  FinishIfNoImprovement finish_;
};

/// @throws std::invalid_argument for invalid options.
void check(const EarlyStoppingOptions& options);

/// A gate (see row_gate.hpp), to be subscribed after who writes the record.
/// @throws std::invalid_argument for invalid options.
Extension spawn_early_stopping(caf::actor_system& system, const EarlyStoppingOptions& options,
                               Logger logger);

} // namespace troupe
