// What the statistics of a run's files are, without the files.
#pragma once

#include "messages/log/log.hpp"
#include "messages/log/statistics.hpp"
#include "messages/loop/loop_event.hpp"
#include "model/data/statistics_source.hpp"

#include <string>
#include <vector>

namespace troupe {

struct StatisticsOptions {
  bool weighted = false; ///< means over examples instead of batches
  FIELDS(weighted);
};

/// What is collected of the batches of an epoch, and what it comes to.
///
///   batch   loss, episode, epoch, batch_size, then what problem and model count
///   epoch   episode, episodes_aggregated, loss (with _min, _max, _std), epoch, samples_aggregated,
///           then what they count, each with _min, _max and _std
///
/// `episode` is the last one, counted from 0, as in MI-Prometheus: its row of the log is episode +
/// 1, and -1 stands for the state before the first. `epoch` is the epochs done. A batch that was
/// skipped for its loss (training.nan: skip) is in no epoch's aggregate.
class TrainingStatistics {
public:
  /// @param own of problem and model, in this order
  /// @throws std::invalid_argument where two names are the same or a format is none.
  TrainingStatistics(StatisticsOptions options, std::vector<Statistic> own);

  /// Before training: sizes of batches are counted from here, unless that was restored.
  void begin(const LoopEvent& event);
  /// After a batch. @param row of the log, with what problem and model say of it
  /// @returns its row.
  StatisticsRow add_batch(const LoopEvent& event, const Records& row);
  /// After an epoch: the aggregates of its batches; the lists are then empty.
  StatisticsRow close_epoch(const LoopEvent& event);

  const std::vector<Statistic>& own() const { return own_; }

  /// For a checkpoint: the lists of an epoch that has begun.
  Records state() const;
  void restore(const Records& state);

private:
  std::vector<std::string> names() const;

  StatisticsOptions options_;
  std::vector<Statistic> own_;
  StatisticsCollector collector_;
  StatisticsAggregator aggregator_;
  Totals last_;
  bool begun_ = false;
};

/// The columns of the four files that are always there.
const std::vector<std::string>& batch_statistics_columns();
const std::vector<std::string>& epoch_statistics_columns();
const std::vector<std::string>& partial_validation_columns();
const std::vector<std::string>& full_validation_columns();

/// Which of the validation files a row of the log belongs to, and what it has for it.
struct ValidationRows {
  StatisticsRow partial; ///< records "partial_valid_<metric>"; empty where there are none
  StatisticsRow full;    ///< records "validation_<metric>" or "valid_<metric>"
};

/// @param row of the log, or what was just written to it; what is no number, the version that was
/// measured and notifications of a best row are left out
ValidationRows validation_rows(const Row& row);

} // namespace troupe
