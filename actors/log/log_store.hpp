#pragma once

#include "actors/log/database.hpp"
#include "messages/log/log.hpp"
#include "messages/log/log_lineage.hpp"

#include <functional>

namespace troupe {

/// A log in a store.
struct StoredLog {
  LogStart start;
  std::string name;    ///< of the run
  std::string started; ///< "2026-11-21T03:00:00.000Z"
  std::string ended;   ///< "" where it goes on, or its process was killed
};

/// One record in a store.
struct StoredEntry {
  std::int64_t number = 0; ///< counts all records of the store, in the order in which they came
  RowKey row;
  Epoch epoch = 0;
  double seconds = 0;
  std::string time, key;
  Value value;
};

/// The logs of several runs in one SQLite database, which other programs can read while training
/// goes on (SQLite's write-ahead log):
///
///   runs(id, name, resumed_from, started, ended)      a start of a run each, the first or a resume
///   resumed_at(id, worker, batch)
///   entries(number, id, worker, batch, epoch, seconds, time, key, value)
///   status(id, worker, key, value)
///
/// Values keep SQLite's own types; true and false are 1 and 0, NaN is NULL. A record that is
/// written to a row again takes the place of the former. Every function throws StoreError.
class LogStore {
public:
  using Access = Database::Access;

  /// Opens the store, and makes it where it is to be written and not there.
  /// @throws StoreError, also for a database of another program, which stays as it is.
  LogStore(const std::string& path, Access access,
           std::chrono::milliseconds patience = std::chrono::milliseconds{2000});

  void be_patient(std::chrono::milliseconds patience) { database_.be_patient(patience); }

  /// Does all that `writes` does, or where it throws nothing of it.
  void transact(const std::function<void()>& writes);
  void begin(const LogStart& start, const std::string& name, const std::string& time);
  void write(const std::string& id, const Write& write, const std::string& time);
  void write(const std::string& id, const WriteStatus& status);
  void end(const std::string& id, const std::string& time);

  /// All logs, in the order of their starts.
  std::vector<StoredLog> logs();
  /// A log with those that it continues, the first start first. A log that is not in the store ends
  /// the chain.
  std::vector<StoredLog> chain(const std::string& id);
  /// The newest log that continues this one.
  std::optional<StoredLog> continuation(const std::string& id);
  /// The records of one log with a number above `after`, in order.
  std::vector<StoredEntry> entries(const std::string& id, std::int64_t after = 0);

  /// The rows of a run up to its log `id`: those of the logs that it continues count up to where it
  /// went on from.
  std::vector<Row> rows(const std::string& id, const Query& query);
  /// The status of one worker, what the logs before said and this one did not included.
  Records status(const std::string& id, WorkerId worker);
  /// By worker, of this log alone.
  std::map<WorkerId, Records> own_status(const std::string& id);

private:
  StoredLog log_in(const Database::Statement& select);

  Database database_;
};

} // namespace troupe
