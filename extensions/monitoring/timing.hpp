// Writes where time went: reading data, training, waiting for gates.
#pragma once

#include "extensions/support/record_maker.hpp"

namespace troupe {

struct TimingOptions {
  std::string prefix; ///< before each name, with "_"
  FIELDS(prefix);
};

/// before_training (to begin counting) and after_epoch.
Conditions timing_conditions();

/// Turns two events into records, all in seconds:
///   time_initialization                               from the start to the first batch; once,
///   without prefix time_train_this_batch, time_read_data_this_batch  averages since the last call;
///   after batches time_train_this_epoch, time_read_data_this_epoch  since the last call, per
///   epoch; after epochs time_train_total, time_read_data_total, time_gates_total
class TimingRecords final : public MakesRecords {
public:
  explicit TimingRecords(TimingOptions options = {}) : options_(std::move(options)) {}

  /// @returns nothing at a second call at the same count, and where it only begins to count.
  Records records(const LoopEvent& event) override;

  /// For a checkpoint: what is counted from.
  Records state() const override;
  void restore(const Records& state) override;

private:
  /// Where a count begins.
  struct Mark {
    Step batches = 0;
    Epoch epochs = 0;
    double training_seconds = 0, reading_seconds = 0;
    FIELDS(batches, epochs, training_seconds, reading_seconds);
  };
  static Mark mark_of(const LoopEvent& event);

  TimingOptions options_;
  Mark last_batch_, last_epoch_; ///< the last call after a batch, after an epoch
  bool begun_ = false, initialization_written_ = false;
  bool restored_ = false; ///< the next start goes on counting
};

/// An observer. It ends when nobody holds a handle to it any more.
Extension spawn_timing(caf::actor_system& system, TimingOptions options, Logger logger);

} // namespace troupe
