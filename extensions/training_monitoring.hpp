// Writes the mean of what training itself measures, since the last time it did so.
#pragma once

#include "troupe/messages/extension.hpp"
#include "troupe/messages/log.hpp"

namespace troupe {

struct TrainingMonitoringOptions {
  std::string prefix = "training"; ///< before each name, with "_"
  std::string suffix;
  bool weighted = true; ///< means over examples; false: over batches, a ragged last one counting
                        ///< like the others
  FIELDS(prefix, suffix, weighted);
};

/// before_training (to begin counting) and after_epoch.
Conditions training_monitoring_conditions();

/// Turns two events into means. The loss of a batch is that before its update: the loss in the row
/// of batch k + 1 is the loss of the parameters after k updates.
class TrainingMeans {
public:
  explicit TrainingMeans(TrainingMonitoringOptions options = {}) : options_(std::move(options)) {}

  /// `<prefix>_loss` over what came since the last call, and `learning_rate`; nothing where no
  /// batch came. Before training it begins to count, unless it has counted up to there already: a
  /// mean goes on over a pause.
  Records commit(const LoopEvent& event);

  /// For a checkpoint: what is counted from.
  Records state() const;
  void restore(const Records& state);

private:
  TrainingMonitoringOptions options_;
  Totals last_;
  bool begun_ = false;
};

/// An observer: needs no message per batch, since events carry running sums. It ends when nobody
/// holds a handle to it.
Extension spawn_training_monitoring(caf::actor_system& system, TrainingMonitoringOptions options,
                                    Logger logger);

} // namespace troupe
