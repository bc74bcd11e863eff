#pragma once

#include "messages/loop/epoch_ends.hpp"
#include "messages/loop/exact_sum.hpp"
#include "messages/loop/loop.hpp"
#include "messages/loop/loop_machine.hpp"
#include "model/training/step_result.hpp"

namespace troupe {

/// What the loop must know of its data.
struct DataFacts {
  Step batches_per_epoch = 0; ///< > 0
  Epoch epochs = 0;           ///< passes that the data allows; 0: without end
};

/// What the row of a saved run calls RunState::counted and the exact sums.
inline constexpr const char* counted_status = "_counted";
inline constexpr const char* loss_sum_status = "_loss_sum";
inline constexpr const char* batch_loss_sum_status = "_batch_loss_sum";

/// The state of one trainer's run: where it stands, what it has counted, who wants it to end and
/// why. Decides; does not send.
class RunState {
public:
  /// Begins a run, or continues the last one. @pre not running
  void begin(const DataFacts& data);
  bool running() const { return step != LoopPhase::idle && !over(); }
  bool over() const { return step == LoopPhase::ended || step == LoopPhase::failed; }

  /// Takes another position, at which the run goes on: before it begins, or at before_training.
  void place(Step taken, bool inside_epoch, const Position& at);

  /// Goes to the next step and does what goes with entering it: epochs are counted, rows of the log
  /// begin.
  LoopPhase advance();

  /// So many batches of the running epoch are done; 0 between two.
  Step epoch_batches() const;

  /// Counts a batch that was trained.
  void count_batch(const StepResult& batch, double reading_seconds, double training_seconds);

  /// An extension wants an end after the running callback. Such a run has ended by itself, and so
  /// has one whose data end, though somebody interrupts it at that moment or has done so before.
  /// Not so at the last callbacks: a run that ends interrupted stays so.
  void finish(const std::string& reason);
  /// Somebody wants an end from outside.
  void stop(const Stop& stop);
  /// Somebody wants the running epoch to be over, though it has batches left, which are passed
  /// over; between epochs it does nothing.
  void close_epoch();
  /// Training failed: on_error comes next, and where it is that already, the first error stays.
  void fail(const std::string& sentence);
  /// Ends at once, without any callback.
  void abandon(const std::string& reason);

  /// The causes of an end that somebody asked for and that has not come yet: a run that goes on
  /// from here ends, too. Not those of an interrupt, which is there to be continued.
  std::vector<std::string> pending_causes() const;
  /// The same, or those of an end that has come.
  std::vector<std::string> causes_of_end() const;
  /// Whether no further batch is to begin.
  bool ends_now() const { return finish_; }
  /// Whether that is so since somebody wants it from outside.
  bool interrupted_now() const { return finish_ && interrupted_; }

  Outcome outcome() const;
  std::string reason() const; ///< all causes in order, or the error

  LoopPhase step = LoopPhase::idle;
  Position position;
  EpochEnds epoch_ends; ///< fewer than epochs are done where a state did not tell of them
  Totals totals;
  double counted = 0;                ///< see LoopEvent
  ExactSum loss_sum, batch_loss_sum; ///< the same
  Step cursor = 0;
  double loss = 0; ///< of the last batch that had one
  bool epoch_started = false;
  bool update_waits = false;          ///< of the running batch, for before_update
  bool started = false;               ///< a batch was trained in this run
  Records row;                        ///< records of the current row known to the trainer
  bool restored = false;              ///< the next run goes on in the row it has
  std::vector<std::string> finishing; ///< why the next run ends at once, where it shall
  std::vector<std::string> causes;    ///< of the end after the epoch behind those that forestall it
  std::string error;

private:
  LoopFacts facts() const;
  void end_here(const std::string& reason);
  void end_by_itself();

  DataFacts data_;
  bool finish_ = false, finish_epoch_ = false, interrupted_ = false, abandoned_ = false;
  bool close_epoch_ = false;
  bool ends_by_itself_ = false;         ///< whether somebody interrupts it or not
  std::vector<std::string> interrupts_; ///< those of the causes
  Epoch end_epochs_ = 0;                ///< finish_epoch_: not before so many are done
  std::ptrdiff_t taking_effect_ = 0;    ///< so many of the causes, the first ones, end the run now
};

} // namespace troupe
