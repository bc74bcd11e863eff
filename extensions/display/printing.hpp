// Prints rows of the log as text.
#pragma once

#include "messages/log/log.hpp"
#include "messages/loop/extension.hpp"

#include <map>
#include <optional>
#include <string>

namespace troupe {

struct PrintingOptions {
  std::string style = "line"; ///< "line", "table" (one record a line) or "json" (for programs)
  /// Records to hide; a '*' at the end or the beginning matches anything. The log keeps them.
  std::vector<std::string> hide = {"time_*",
                                   "timestamp",
                                   "unix_time",
                                   "datestamp",
                                   "*_version",
                                   "*_undefined",
                                   "training_finish_requested",
                                   "saved_to",
                                   "checkpoint_seconds",
                                   "control",
                                   "control_by",
                                   "loaded_from"};
  double deadline = 600; ///< seconds, for records that are announced
  TROUPE_FIELDS(style, hide, deadline);
};

/// before_first_epoch, on_resumption, after_epoch, on_interrupt, after_training; like Printing in
/// Blocks.
Conditions printing_conditions();

/// The text of a row: records sorted by name, without hidden ones and names that begin with '_'.
/// @throws std::invalid_argument for an unknown style.
std::string print_row(const Row& row, const PrintingOptions& options);

/// The texts of successive rows. In the style `line`, records are aligned in columns: each is as
/// wide as its widest value so far.
class RowColumns {
public:
  /// @param expected_length of the run: the column before the records has room for its largest
  /// numbers
  std::string text(const Row& row, const PrintingOptions& options,
                   const ExpectedLength& expected_length = {});

private:
  std::size_t head_ = 0;                       ///< width of the column before the records
  std::map<std::string, std::size_t> records_; ///< width by name, including the value
};

/// The mean training loss between two printed rows, for rows in the middle of an epoch that may
/// have no other records yet.
class LossBetweenRows {
public:
  /// @returns the mean over the batches since the last call, or nothing without a batch; at the
  /// first call the loss of the last batch
  std::optional<double> next(const LoopEvent& event);

private:
  bool begun_ = false;
  ExactSum sum_;
  double weight_ = 0;
};

/// @throws std::invalid_argument for invalid options.
void check(const PrintingOptions& options);

/// An observer. It asks the logger for the row once all announced records have arrived, so that an
/// epoch's line includes its validation. After a batch whose row has no training loss, the line
/// shows the mean since the last line. It ends when no handle to it is left; Drain waits for the
/// lines in flight.
/// @throws std::invalid_argument for invalid options.
Extension spawn_printing(caf::actor_system& system, PrintingOptions options, Logger logger);

} // namespace troupe
