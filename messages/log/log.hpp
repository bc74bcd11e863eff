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
  WorkerId worker = 0;
  Step batch = 0;
  FIELDS(worker, batch);
  bool operator<(const RowKey& other) const {
    return std::tie(worker, batch) < std::tie(other.worker, other.batch);
  }
};

/// Adds records to a row; an existing record is replaced.
struct Write {
  RowKey row;
  Epoch epoch = 0;    ///< epochs done at that row
  double seconds = 0; ///< of training at that row
  Records records;
  std::string settles; ///< fulfils the Expect of this name for this row; "" fulfils none
  FIELDS(row, epoch, seconds, records, settles);
};

/// Announces that `name` will write to the row later, with Write::settles = name.
struct Expect {
  RowKey row;
  std::string name;
  FIELDS(row, name);
};

struct ReadRow {
  RowKey row;
  bool settled = true; ///< whether to wait for announced records
  FIELDS(row, settled);
};

struct Row {
  RowKey row;
  Epoch epoch = 0;
  double seconds = 0;
  Records records;
  FIELDS(row, epoch, seconds, records);
};

/// Asks for the rows of one worker from `first` to `last`, both included.
struct Query {
  WorkerId worker = 0;
  Step first = 0;
  Step last = 0;
  FIELDS(worker, first, last);
};

struct Rows {
  std::vector<Row> rows;
  FIELDS(rows);
};

/// New records of a row, for followers.
struct Written {
  Row row; ///< with the new records only
  FIELDS(row);
};

using Follower = caf::typed_actor<caf::reacts_to<Written>>;

struct Follow {
  Follower follower;
  FIELDS(follower);
};

enum class Level : std::uint8_t { debug, info, warning, error };

/// Sets records of a worker's whole run, not of one row: "batches_done", "training_started",
/// "best_loss", ...
struct WriteStatus {
  WorkerId worker = 0;
  Records records;
  FIELDS(worker, records);
};

struct ReadStatus {
  WorkerId worker = 0;
  FIELDS(worker);
};

struct RunStatus {
  Records records;
  FIELDS(records);
};

/// One line, on the console and in the run's log.
struct Say {
  Level level = Level::info;
  std::string text;
  /// At most one line of a kind is shown each second, with the number of those left out, so that
  /// repeated errors of a full disk or an unknown peer hide nothing else; "": every line is shown.
  std::string kind = {};
  FIELDS(level, text, kind);
};

/// Sets a named line at the bottom of a terminal. Empty text removes it.
struct ShowProgress {
  std::string name;
  std::string text;
  FIELDS(name, text);
};

/// A timer of the logger: write pending data to disk.
struct FlushSoon {
  FIELDS();
};

struct Flush {
  FIELDS();
};
struct Flushed {
  FIELDS();
};

using Logger
  = caf::typed_actor<caf::reacts_to<Write>, caf::reacts_to<Expect>,
                     caf::replies_to<ReadRow>::with<Row>, caf::replies_to<Query>::with<Rows>,
                     caf::reacts_to<WriteStatus>, caf::replies_to<ReadStatus>::with<RunStatus>,
                     caf::reacts_to<Follow>, caf::reacts_to<Say>, caf::reacts_to<ShowProgress>,
                     caf::replies_to<Flush>::with<Flushed>>;

} // namespace troupe
