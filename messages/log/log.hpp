// The log: rows of records by worker and batch, in a file that can be read during training, and
// lines to print.
//
//   anyone                          logger                          follower
//     | ---- Write ----------------> |                                 |
//     |                              | ---- Written -----------------> |   as records come
//     | ---- Expect, Write --------> |                                 |   announced, written later
//     | ---- ReadRow --------------> |                                 |
//     | <--- Row ------------------- |                                 |   once these have come
//     | ---- Say, ShowProgress ----> |                                 |   for the console
//     | ---- Flush ----------------> |                                 |
//     | <--- Flushed --------------- |                                 |
#pragma once

#include "messages/inspection/inspect.hpp"
#include "messages/schedule/position.hpp"

#include <caf/replies_to.hpp>
#include <caf/typed_actor.hpp>

namespace troupe {

/// Identifies a row: the state after `batch` batches of one worker.
struct RowKey {
  WorkerId worker = 0; ///< whose row it is
  Step batch = 0;      ///< batches trained
  TROUPE_FIELDS(worker, batch);
  /// By worker, then by batch.
  bool operator<(const RowKey& other) const {
    return std::tie(worker, batch) < std::tie(other.worker, other.batch);
  }
};

/// Adds records to a row; an existing record is replaced.
struct Write {
  RowKey row;          ///< which row; it is added if it is new
  Epoch epoch = 0;     ///< epochs done at that row
  double seconds = 0;  ///< of training at that row
  Records records;     ///< to add or to replace
  std::string settles; ///< fulfils the Expect of this name for this row; "" fulfils none
  TROUPE_FIELDS(row, epoch, seconds, records, settles);
};

/// Announces that `name` will write to the row later, with Write::settles = name.
struct Expect {
  RowKey row;       ///< which row
  std::string name; ///< who will write
  TROUPE_FIELDS(row, name);
};

/// Asks for a row, which has no records if nothing was written into it.
struct ReadRow {
  RowKey row;          ///< which row
  bool settled = true; ///< whether to wait for announced records
  TROUPE_FIELDS(row, settled);
};

/// A row as it is known now.
struct Row {
  RowKey row;         ///< which row
  Epoch epoch = 0;    ///< epochs done there
  double seconds = 0; ///< of training until there
  Records records;    ///< all that were written into it
  TROUPE_FIELDS(row, epoch, seconds, records);
};

/// Asks for the rows of one worker from `first` to `last`, both included.
struct Query {
  WorkerId worker = 0; ///< whose rows
  Step first = 0;      ///< number of batches of the first row wanted
  Step last = 0;       ///< of the last one, included
  TROUPE_FIELDS(worker, first, last);
};

/// The rows of a Query.
struct Rows {
  std::vector<Row> rows; ///< in the order of batches
  TROUPE_FIELDS(rows);
};

/// New records of a row, for followers.
struct Written {
  Row row; ///< with the new records only
  TROUPE_FIELDS(row);
};

/// Gets the records of a log as they come.
using Follower = caf::typed_actor<caf::reacts_to<Written>>;

/// From now on, send `follower` what is written. It ends with the follower's actor.
struct Follow {
  Follower follower; ///< must not be null
  TROUPE_FIELDS(follower);
};

/// How important a line is.
enum class Level : std::uint8_t {
  debug,   ///< for `--verbose`
  info,    ///< of the usual course
  warning, ///< something is not as it should be, and training goes on
  error,   ///< something failed
};

/// Sets records of a worker's whole run, not of one row: "batches_done", "training_started",
/// "best_loss", ...
struct WriteStatus {
  WorkerId worker = 0; ///< of which worker
  Records records;     ///< to add or to replace
  TROUPE_FIELDS(worker, records);
};

/// Asks for the status of a run as WriteStatus has left it.
struct ReadStatus {
  WorkerId worker = 0; ///< of which worker
  TROUPE_FIELDS(worker);
};

/// The status of one worker's run.
struct RunStatus {
  Records records; ///< all that were written
  TROUPE_FIELDS(records);
};

/// One line, on the console and in the run's log.
struct Say {
  Level level = Level::info; ///< decides where it is shown
  std::string text;          ///< one line
  /// At most one line of a kind is shown each second, with the number of those left out, so that
  /// repeated errors of a full disk or an unknown peer hide nothing else; "": every line is shown.
  std::string kind = {};
  TROUPE_FIELDS(level, text, kind);
};

/// Sets a named line at the bottom of a terminal. Empty text removes it.
struct ShowProgress {
  std::string name; ///< of the line: a new text replaces the one of the same name
  std::string text; ///< "" removes the line
  TROUPE_FIELDS(name, text);
};

/// A timer of the logger: write pending data to disk.
struct FlushSoon {
  TROUPE_FIELDS();
};

/// Asks to write everything that is still in memory.
struct Flush {
  TROUPE_FIELDS();
};
/// All that came before is in the files.
struct Flushed {
  TROUPE_FIELDS();
};

/// Keeps the rows of a run (actors/log/logger.hpp).
using Logger
  = caf::typed_actor<caf::reacts_to<Write>, caf::reacts_to<Expect>,
                     caf::replies_to<ReadRow>::with<Row>, caf::replies_to<Query>::with<Rows>,
                     caf::reacts_to<WriteStatus>, caf::replies_to<ReadStatus>::with<RunStatus>,
                     caf::reacts_to<Follow>, caf::reacts_to<Say>, caf::reacts_to<ShowProgress>,
                     caf::replies_to<Flush>::with<Flushed>>;

} // namespace troupe
