// Writes what training itself measures, gathered since the last time it did so.
#pragma once

#include "extensions/monitoring/monitored_quantity.hpp"
#include "extensions/support/record_maker.hpp"

#include <memory>
#include <vector>

namespace troupe {

struct TrainingMonitoringOptions {
  std::string prefix = "training"; ///< before each name, with "_"
  std::string suffix = {};
  LossAggregation aggregation = LossAggregation::weighted;
  FIELDS(prefix, suffix, aggregation);
};

/// before_training (to begin counting) and after_epoch: what weighted, mean and last need, since
/// events carry running sums.
Conditions training_monitoring_conditions();

/// For quantities that need to see every batch: first a silent look after each batch, and then what
/// `commits` says. Subscribe the extension as a gate then: an observer may lose copies.
Conditions with_every_batch(const Conditions& commits);

using MonitoredQuantities = std::vector<std::shared_ptr<MonitoredQuantity>>;

/// Turns events into records. The loss of a batch is that before its update: the loss in the row of
/// batch k + 1 is the loss of the parameters after k updates.
class TrainingAggregates final : public MakesRecords {
public:
  /// @param quantities in addition to the loss
  /// @throws std::invalid_argument where two have the same name.
  explicit TrainingAggregates(TrainingMonitoringOptions options = {},
                              MonitoredQuantities quantities = {});

  /// A silent look: nothing. Else `<prefix>_loss` and the other quantities over what came since the
  /// last call, and `learning_rate`; nothing where no batch came. Before training it begins to
  /// count, unless it has counted up to there already: a row goes on over a pause.
  Records records(const LoopEvent& event) override;

  /// For a checkpoint: what is counted from, and what was gathered.
  Records state() const override;
  void restore(const Records& state) override;

private:
  void begin(const LoopEvent& event);
  void count_from(const LoopEvent& event);
  Records commit(const LoopEvent& event);
  void forget();

  TrainingMonitoringOptions options_;
  std::shared_ptr<MonitoredQuantity> loss_; ///< where running sums do not give it
  MonitoredQuantities quantities_;          ///< that one among them
  Totals last_;
  double last_loss_weight_ = 0;                  ///< beside them
  ExactSum last_loss_sum_, last_batch_loss_sum_; ///< the same
  std::uint64_t losses_ = 0; ///< batches with a loss, up to the last silent look
  std::uint64_t seen_ = 0;   ///< batches that the quantities hold
  bool begun_ = false;
};

/// An observer, which needs no message per batch; a gate where a quantity has to see every batch
/// (`with_every_batch`). It ends when nobody holds a handle to it.
/// @throws std::invalid_argument where two quantities have the same name.
Extension spawn_training_monitoring(caf::actor_system& system, TrainingMonitoringOptions options,
                                    Logger logger, MonitoredQuantities quantities = {});

} // namespace troupe
