// The log: rows of records by worker and batch, kept in a file that can be read while training, and
// what people see.
//
//   anyone                          logger                          follower
//     | ---- Write ----------------> |                                 |
//     |                              | ---- Written -----------------> |   each record, as it comes
//     | ---- Expect, Write --------> |   records of a row that will come later, and then do
//     | ---- ReadRow --------------> |
//     | <--- Row ------------------- |   once all that is expected has come
//     | ---- Say, ShowProgress ----> |   lines for the console
//     | ---- Flush ----------------> |
//     | <--- Flushed --------------- |
#pragma once

#include "messages/inspection/inspect.hpp"
#include "messages/schedule/position.hpp"

#include <caf/replies_to.hpp>
#include <caf/typed_actor.hpp>

namespace troupe {

/// Which row: the state after `batch` batches of one worker.
struct RowKey {
  WorkerId worker = 0;
  Step batch = 0;
  FIELDS(worker, batch);
  bool operator<(const RowKey& other) const {
    return std::tie(worker, batch) < std::tie(other.worker, other.batch);
  }
};

/// Adds records to a row; a name that is there already gets the new value.
struct Write {
  RowKey row;
  Epoch epoch = 0;    ///< epochs done at that row
  double seconds = 0; ///< of training at that row
  Records records;
  std::string settles; ///< ends the Expect of this name for this row; "" ends none
  FIELDS(row, epoch, seconds, records, settles);
};

/// Announces that `name` will write to the row later (with Write::settles = name).
struct Expect {
  RowKey row;
  std::string name;
  FIELDS(row, name);
};

struct ReadRow {
  RowKey row;
  bool settled = true; ///< whether to wait for what is expected
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

/// What holds for a whole run of one worker instead of one row: "batches_done", "training_started",
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

/// One line for people, on the console and in the run's log.
struct Say {
  Level level = Level::info;
  std::string text;
  /// Of lines of one kind one a second is shown, with the number of those left out, so that what a
  /// full disk or a stranger repeats hides nothing else; "": each is shown.
  std::string kind = {};
  FIELDS(level, text, kind);
};

/// The line at the bottom of a terminal; the newest text of each name. Empty text takes it away.
struct ShowProgress {
  std::string name;
  std::string text;
  FIELDS(name, text);
};

/// The logger to itself: what was written goes to the disk.
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
