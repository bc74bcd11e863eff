// Writes how time was spent: reading data, training, waiting for gates.
#pragma once

#include "extensions/support/record_maker.hpp"

namespace troupe {

struct TimingOptions {
  std::string prefix; ///< before each name, with "_"
  TROUPE_FIELDS(prefix);
};

/// before_training (to start counting) and after_epoch.
Conditions timing_conditions();

/// Turns events into records, all in seconds. `time_initialization` is the time from the start to
/// the first batch: once, without prefix. `time_train_this_batch` and `time_read_data_this_batch`,
/// after batches, and `time_train_this_epoch` and `time_read_data_this_epoch`, after epochs, are
/// averages since the last call. `time_train_total`, `time_read_data_total` and `time_gates_total`
/// are totals.
class TimingRecords final : public RecordMaker {
public:
  explicit TimingRecords(TimingOptions options = {}) : options_(std::move(options)) {}

  /// @returns {} for a second call at the same count, and if it only starts counting.
  Records records(const LoopEvent& event) override;

  /// For a checkpoint: what is counted from.
  SavedFields state() const override;
  void restore(const SavedFields& state) override;

private:
  /// The start of a count.
  struct Mark {
    Step batches = 0;
    Epoch epochs = 0;
    double training_seconds = 0, reading_seconds = 0;
    TROUPE_FIELDS(batches, epochs, training_seconds, reading_seconds);
  };
  static Mark mark_of(const LoopEvent& event);

  TimingOptions options_;
  Mark last_batch_, last_epoch_; ///< the last call after a batch, after an epoch
  bool begun_ = false, initialization_written_ = false;
  bool restored_ = false; ///< the next start continues counting
};

/// An observer. It ends when no handle to it is left.
Extension spawn_timing(caf::actor_system& system, TimingOptions options, Logger logger);

} // namespace troupe
