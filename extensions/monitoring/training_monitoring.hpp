// Writes the training loss and other quantities, aggregated since its last row.
#pragma once

#include "extensions/monitoring/monitored_quantity.hpp"
#include "extensions/support/every_batch.hpp"
#include "extensions/support/record_maker.hpp"

#include <memory>
#include <vector>

namespace troupe {

struct TrainingMonitoringOptions {
  std::string prefix = "training";                         ///< before each name, with "_"
  std::string suffix = {};                                 ///< after each name, with "_"
  LossAggregation aggregation = LossAggregation::weighted; ///< of the losses since the last row
  TROUPE_FIELDS(prefix, suffix, aggregation);
};

/// before_training (to start counting) and after_epoch. They suffice for weighted, mean and last,
/// since events carry running sums.
Conditions training_monitoring_conditions();

using MonitoredQuantities = std::vector<std::shared_ptr<MonitoredQuantity>>;

/// Turns events into records. A batch's loss is computed before its update: the loss in the row of
/// batch k + 1 is that of the parameters after k updates.
class TrainingAggregates final : public RecordMaker {
public:
  /// @param quantities in addition to the loss
  /// @throws std::invalid_argument if two have the same name.
  explicit TrainingAggregates(TrainingMonitoringOptions options = {},
                              MonitoredQuantities quantities = {});

  /// Returns {} for a silent firing; otherwise `<prefix>_loss` and the other quantities over the
  /// batches since the last call, and `learning_rate`, or {} without a batch. Before training it
  /// starts counting, unless its count already ends there: a row continues over a pause.
  Records records(const LoopEvent& event) override;

  /// For a checkpoint: what is counted from, and what was gathered.
  SavedFields state() const override;
  void restore(const SavedFields& state) override;

private:
  void begin(const LoopEvent& event);
  Records commit(const LoopEvent& event);
  void forget();

  TrainingMonitoringOptions options_;
  std::shared_ptr<MonitoredQuantity> loss_; ///< if running sums do not give it
  MonitoredQuantities quantities_;          ///< including `loss_`
  Totals last_;
  std::uint64_t losses_ = 0; ///< batches with a loss, up to the last silent look
  std::uint64_t seen_ = 0;   ///< batches that the quantities hold
  bool begun_ = false;
};

/// An observer that needs no message per batch; a gate if a quantity needs every batch
/// (`with_every_batch`). It ends when no handle to it is left.
/// @throws std::invalid_argument if two quantities have the same name.
Extension spawn_training_monitoring(caf::actor_system& system, TrainingMonitoringOptions options,
                                    Logger logger, MonitoredQuantities quantities = {});

} // namespace troupe
