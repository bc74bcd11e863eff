#pragma once

#include "messages/loop/epoch_ends.hpp"
#include "messages/loop/loop.hpp"
#include "messages/loop/loop_machine.hpp"
#include "messages/loop/requested_end.hpp"
#include "model/training/step_result.hpp"

namespace troupe {

/// What the loop knows about its data.
struct DataFacts {
  Step batches_per_epoch = 0; ///< > 0
  Epoch epochs = 0;           ///< passes that the data allows; 0: unlimited
};

/// The state of one trainer's run: where it stands, what it has counted, who wants it to end and
/// why. Decides; does not send.
class RunState {
public:
  /// Begins a run, or continues the last one. @pre not running
  void begin(const DataFacts& data);
  bool running() const { return step != LoopPhase::idle && !over(); }
  bool over() const { return step == LoopPhase::ended || step == LoopPhase::failed; }

  /// Sets the position from which the run continues: before it begins, or at before_training.
  void place(Step taken, bool inside_epoch, const Position& at);

  /// Enters the next phase and does the bookkeeping: counts epochs, begins rows of the log.
  LoopPhase advance();

  /// Batches done in the running epoch; 0 between two.
  Step epoch_batches() const;

  /// Counts a batch that was trained; of a pending one, the loss is counted by count_late().
  void count_batch(const StepResult& batch, double reading_seconds, double training_seconds);
  /// Counts the loss of a batch that count_batch() has counted as pending; a dropped one is counted
  /// no more. @pre the epoch of that batch has not ended
  void count_late(const StepResult& batch);

  /// An extension requests the end after the running callback. Such a run has ended by itself, and
  /// so has one whose data end, even if it is interrupted at that moment or was before. At the last
  /// callbacks this has no effect: a run that ends interrupted stays so.
  void finish(const std::string& reason);
  /// An end is requested from outside.
  void stop(const Stop& stop);
  /// Ends the running epoch and skips its remaining batches; between epochs it does nothing.
  void close_epoch();
  /// Training failed: on_error comes next. During on_error the first error is kept.
  void fail(const std::string& sentence);
  /// Ends at once, without any callback.
  void abandon(const std::string& reason);

  /// The causes of a requested end that has not come yet, so that a run resumed from here ends,
  /// too. Excludes those of an interrupt, after which a run is to be resumed.
  std::vector<std::string> pending_causes() const;
  /// The same, or those of an end that has come.
  std::vector<std::string> causes_of_end() const;
  /// Whether no further batch is to begin.
  bool ends_now() const { return end_.after_batch(); }
  /// Whether that was requested from outside.
  bool interrupted_now() const { return end_.after_batch() && end_.interrupted(); }
  /// All that are known, in order.
  const std::vector<std::string>& causes() const { return end_.causes(); }

  Outcome outcome() const;
  std::string reason() const; ///< all causes in order, or the error

  LoopPhase step = LoopPhase::idle;
  Position position;
  EpochEnds epoch_ends; ///< incomplete if the restored state did not contain them
  Totals totals;
  Step cursor = 0;
  double loss = 0; ///< of the last batch that had one
  bool epoch_started = false;
  bool update_waits = false;          ///< of the running batch, for before_update
  bool started = false;               ///< a batch was trained in this run
  Records row;                        ///< records of the current row known to the trainer
  bool restored = false;              ///< the next run continues in the restored row
  std::vector<std::string> finishing; ///< why the next run ends at once, if it does
  std::string error;

private:
  LoopFacts facts() const;
  void count_loss(const StepResult& batch);

  DataFacts data_;
  RequestedEnd end_;
  bool close_epoch_ = false;
};

} // namespace troupe
