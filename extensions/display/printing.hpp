// Prints the row of the log, for people.
#pragma once

#include "messages/log/log.hpp"
#include "messages/loop/extension.hpp"

#include <map>
#include <optional>
#include <string>

namespace troupe {

struct PrintingOptions {
  std::string style = "line"; ///< "line", "table" (one record a line) or "json" (for programs)
  /// Records to leave out; a '*' at the end or the beginning stands for anything. They are in the
  /// log all the same.
  std::vector<std::string> hide = {"time_*",
                                   "timestamp",
                                   "unix_time",
                                   "datestamp",
                                   "*_version",
                                   "*_undefined",
                                   "training_finish_requested",
                                   "saved_to",
                                   "loaded_from"};
  double deadline = 600; ///< seconds, for records that are announced
  FIELDS(style, hide, deadline);
};

/// before_first_epoch, on_resumption, after_epoch, on_interrupt, after_training; as Blocks'
/// Printing.
Conditions printing_conditions();

/// The text for a row: names sorted, those that begin with '_' or are to hide left out.
/// @throws std::invalid_argument for an unknown style.
std::string print_row(const Row& row, const PrintingOptions& options);

/// The same of one row after the other, in columns where the style is line: each record is as wide
/// as the widest value that it has had.
class RowColumns {
public:
  /// @param extent of the run, whose largest numbers have room in front of the records
  std::string text(const Row& row, const PrintingOptions& options,
                   const ExpectedLength& extent = {});

private:
  std::size_t head_ = 0;                       ///< columns in front of the records
  std::map<std::string, std::size_t> records_; ///< by name, with the value
};

/// The mean training loss from one printed row to the next, for rows in the middle of an epoch, of
/// which nothing else may be there yet.
class LossBetweenRows {
public:
  /// @returns the mean over the batches since the last call, nothing where there was none; the
  /// first time the loss of the last batch
  std::optional<double> next(const LoopEvent& event);

private:
  bool begun_ = false;
  ExactSum sum_;
  double last_loss_weight_ = 0;
};

/// @throws std::invalid_argument for options that cannot be.
void check(const PrintingOptions& options);

/// An observer. It asks the logger for the row and waits there for records that are announced, so
/// that an epoch's line comes with its validation. After a batch that has no training loss in its
/// row, the line has the mean since the last line. It ends when nobody holds a handle to it any
/// more; Drain waits for the lines under way.
/// @throws std::invalid_argument for options that cannot be.
Extension spawn_printing(caf::actor_system& system, PrintingOptions options, Logger logger);

} // namespace troupe
