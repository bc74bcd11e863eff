// Marks the best rows of the log so far.
#pragma once

#include "extensions/support/metric_gate.hpp"
#include "extensions/support/row_deadline.hpp"
#include "messages/evaluation/best_record.hpp"

namespace troupe {

struct TrackTheBestOptions {
  std::string record = "validation_loss"; ///< the number to compare
  std::string notification = {};          ///< the record to write; "": `<record>_best_so_far`
  Choose choose = Choose::by_name;        ///< which is better
  OnNan nan = OnNan::stop;                ///< what a record that is not a number does
  double deadline = row_deadline;         ///< seconds for a row to be complete
  TROUPE_FIELDS(record, notification, choose, nan, deadline);
};

/// after_epoch.
Conditions track_the_best_conditions();

/// The name of the record that marks the best row.
std::string notification_of(const TrackTheBestOptions& options);

/// Writes the notification (true) if the row's record is strictly better than all before, and the
/// status `best_<record>`. The first value counts as best, a tie does not, and NaN never does.
class TrackTheBest : public MetricRule {
public:
  /// @throws std::invalid_argument for an empty name of the record.
  explicit TrackTheBest(const TrackTheBestOptions& options);

  MetricDecision decide(const LoopEvent& event, const Records& row) override;
  std::string awaited_record() const override { return best_.state().any ? "" : best_.record(); }
  SavedFields state() const override;
  void restore(const SavedFields& state) override;

  const BestRecord& best() const { return best_; }

private:
  std::string notification_;
  OnNan nan_;
  BestRecord best_;
};

/// @throws std::invalid_argument for invalid options.
void check(const TrackTheBestOptions& options);

/// A gate (see metric_gate.hpp). Subscribe it after the extension that writes the record, and before
/// extensions with a condition `on_record(<notification>)`.
/// @throws std::invalid_argument for invalid options.
Extension spawn_track_the_best(caf::actor_system& system, const TrackTheBestOptions& options,
                               Logger logger);

} // namespace troupe
