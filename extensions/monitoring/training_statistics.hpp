// The statistics of a run's files, as values without the files.
#pragma once

#include "messages/log/log.hpp"
#include "messages/log/statistics.hpp"
#include "messages/loop/loop_event.hpp"
#include "messages/loop/saved_fields.hpp"
#include "model/data/statistics_source.hpp"

#include <string>
#include <vector>

namespace troupe {

struct StatisticsOptions {
  bool weighted = false; ///< means over examples instead of batches
  TROUPE_FIELDS(weighted);
};

/// Collects the statistics of an epoch's batches and aggregates them.
///
///   batch loss, episode, epoch, batch_size, then the statistics of problem and model
///   epoch   episode, episodes_aggregated, loss (with _min, _max, _std), epoch, samples_aggregated,
///           then their statistics, each with _min, _max and _std
///
/// `episode` is the last one, counted from 0 as in MI-Prometheus: its row of the log is episode +
/// 1, and -1 is the state before the first. `epoch` is the number of completed epochs. A batch that
/// was skipped for its loss (training.nan: skip) is in no aggregate.
class TrainingStatistics {
public:
  /// @param own statistics of problem and model, in this order
  /// @throws std::invalid_argument for duplicate names or an invalid format.
  TrainingStatistics(StatisticsOptions options, std::vector<Statistic> own);

  /// Before training: starts counting the sizes of batches, unless the counts were restored.
  void begin(const LoopEvent& event);
  /// After a batch. @param row of the log, with the statistics of problem and model
  /// @returns the batch's row.
  StatisticsRow add_batch(const LoopEvent& event, const Records& row);
  /// After an epoch: returns the aggregates of its batches and clears the lists.
  StatisticsRow close_epoch(const LoopEvent& event);

  const std::vector<Statistic>& own() const { return own_; }

  /// For a checkpoint: the lists of an epoch that has begun.
  SavedFields state() const;
  void restore(const SavedFields& state);

private:
  std::vector<std::string> names() const;

  StatisticsOptions options_;
  std::vector<Statistic> own_;
  StatisticsCollector collector_;
  StatisticsAggregator aggregator_;
  Totals last_;
  bool begun_ = false;
};

/// The columns that the four files always have.
const std::vector<std::string>& batch_statistics_columns();
const std::vector<std::string>& epoch_statistics_columns();
const std::vector<std::string>& partial_validation_columns();
const std::vector<std::string>& full_validation_columns();

/// A log row's cells for the two validation files.
struct ValidationRows {
  StatisticsRow partial; ///< records "partial_valid_<metric>"; empty without any
  StatisticsRow full;    ///< records "validation_<metric>" or "valid_<metric>"
};

/// @param row of the log, or the records just written to it. Records that are not numbers, versions
/// and notifications of a best row are left out.
ValidationRows validation_rows(const Row& row);

} // namespace troupe
