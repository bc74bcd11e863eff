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
  std::string ended;   ///< "" if it continues, or its process was killed
};

/// One record in a store.
struct StoredEntry {
  std::int64_t number = 0; ///< counts all records of the store, in the order of their arrival
  RowKey row;
  Epoch epoch = 0;
  double seconds = 0;
  std::string time, key;
  Value value;
};

/// The logs of several runs in one SQLite database, which other programs can read during training
/// (SQLite's write-ahead log):
///
///   runs(id, name, resumed_from, started, ended, lines)   one start of a run, the first or a resume
///   resumed_at(id, worker, batch)
///   entries(number, id, worker, batch, epoch, seconds, time, key, value)
///   status(id, worker, key, value)
///
/// Values keep SQLite's own types; true and false are 1 and 0, NaN is NULL. A record that is
/// written to a row again replaces the previous one. Every function throws StoreError.
class LogStore {
public:
  using Access = Database::Access;

  /// Opens the store; for writing, creates it if it does not exist.
  /// @throws StoreError, also for a database of another program, which is not changed.
  LogStore(const std::string& path, Access access,
           std::chrono::milliseconds patience = std::chrono::milliseconds{2000});

  void set_patience(std::chrono::milliseconds patience) { database_.set_patience(patience); }

  /// Does everything that `writes` does, or nothing if it throws.
  void transact(const std::function<void()>& writes);
  void begin(const LogStart& start, const std::string& name, const std::string& time);
  void write(const std::string& id, const Write& write, const std::string& time);
  void write(const std::string& id, const WriteStatus& status);
  void end(const std::string& id, const std::string& time);

  /// How many lines of a log's file the store has, its start included; 0: it does not have the log.
  std::int64_t lines_of(const std::string& id);
  /// @param lines that it has now
  void count_lines(const std::string& id, std::int64_t lines);

  /// All logs, in the order of their starts.
  std::vector<StoredLog> logs();
  /// A log and those that it continues, the first start first. A log that is missing in the store
  /// ends the chain.
  std::vector<StoredLog> chain(const std::string& id);
  /// The newest log that continues this one.
  std::optional<StoredLog> continuation(const std::string& id);
  /// The records of one log with a number above `after`, in order.
  std::vector<StoredEntry> entries(const std::string& id, std::int64_t after = 0);

  /// The rows of a run up to its log `id`: those of continued logs count up to the batch from which
  /// it was resumed.
  std::vector<Row> rows(const std::string& id, const Query& query);
  /// The status of one worker, including records that only earlier logs contain.
  Records status(const std::string& id, WorkerId worker);
  /// By worker, of this log alone.
  std::map<WorkerId, Records> own_status(const std::string& id);

private:
  StoredLog log_in(const Database::Statement& select);

  Database database_;
};

} // namespace troupe
