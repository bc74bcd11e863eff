#include "actors/log/log_store.hpp"

#include <algorithm>
#include <set>

namespace troupe {

namespace {

constexpr auto application = 0x54525550; // "TRUP", SQLite's application id

const char* const schema = R"(
  CREATE TABLE runs(id TEXT PRIMARY KEY, name TEXT NOT NULL, resumed_from TEXT, started TEXT NOT NULL, ended TEXT,
    lines INTEGER NOT NULL DEFAULT 0);
  CREATE TABLE resumed_at(id TEXT NOT NULL, worker INTEGER NOT NULL, batch INTEGER NOT NULL,
    PRIMARY KEY(id, worker)) WITHOUT ROWID;
  CREATE TABLE entries(number INTEGER PRIMARY KEY AUTOINCREMENT, id TEXT NOT NULL, worker INTEGER NOT NULL,
    batch INTEGER NOT NULL, epoch INTEGER NOT NULL, seconds REAL, time TEXT NOT NULL, key TEXT NOT NULL, value,
    UNIQUE(id, worker, batch, key));
  CREATE TABLE status(id TEXT NOT NULL, worker INTEGER NOT NULL, key TEXT NOT NULL, value,
    PRIMARY KEY(id, worker, key)) WITHOUT ROWID;
  PRAGMA user_version = 2;
)";

/// A store of the version before had everything but the numbers of lines.
const char* const schema_since_version_1 = R"(
  ALTER TABLE runs ADD COLUMN lines INTEGER NOT NULL DEFAULT 0;
  PRAGMA user_version = 2;
)";

const char* const columns_of_a_log = "SELECT id, name, resumed_from, started, ended FROM runs ";

std::int64_t answer(Database& database, const std::string& question) {
  auto statement = database.prepare(question);
  return statement.next() ? statement.number(0) : 0;
}

std::int64_t whole(std::uint64_t count) { return static_cast<std::int64_t>(count); }

} // namespace

LogStore::LogStore(const std::string& path, Access access, std::chrono::milliseconds patience)
  : database_(path, access) {
  set_patience(patience);
  const auto empty = [&] { return answer(database_, "SELECT count(*) FROM sqlite_master") == 0; };
  if (access == Access::write && empty()) {
    database_.run("PRAGMA journal_mode = WAL");
    transact([&] {
      if (!empty()) // another run was faster
        return;
      database_.run(schema);
      database_.run("PRAGMA application_id = " + std::to_string(application));
    });
  }
  const auto version = [&] { return answer(database_, "PRAGMA user_version"); };
  const auto ours = answer(database_, "PRAGMA application_id") == application;
  if (ours && access == Access::write && version() == 1)
    transact([&] {
      if (version() == 1)
        database_.run(schema_since_version_1);
    });
  if (!ours || version() < 1 || version() > 2)
    throw StoreError("the store '" + path + "' is " + (empty() ? "empty" : "another program's")
                     + (access == Access::read
                          ? "; name one that a run with log.store.path has written"
                          : "; name a file that is not there, or a store of other runs"));
  // A crash of the machine may lose the newest rows, but never the store.
  database_.run("PRAGMA synchronous = NORMAL");
}

void LogStore::transact(const std::function<void()>& writes) {
  database_.run("BEGIN IMMEDIATE");
  try {
    writes();
    database_.run("COMMIT");
  } catch (...) {
    database_.roll_back();
    throw;
  }
}

void LogStore::begin(const LogStart& start, const std::string& name, const std::string& time) {
  database_
    .prepare("INSERT OR REPLACE INTO runs(id, name, resumed_from, started) "
             "VALUES(?1, ?2, nullif(?3, ''), ?4)")
    .with(start.id)
    .with(name)
    .with(start.resumed_from)
    .with(time)
    .run();
  auto insert = database_.prepare("INSERT OR REPLACE INTO resumed_at VALUES(?1, ?2, ?3)");
  for (const auto& [worker, batch] : start.resumed_at)
    insert.with(start.id).with(whole(worker)).with(whole(batch)).run();
}

void LogStore::write(const std::string& id, const Write& write, const std::string& time) {
  // Replaced rather than updated, so that its new number tells a reader that it is new.
  auto insert = database_.prepare(
    "INSERT OR REPLACE INTO entries(id, worker, batch, epoch, seconds, time, key, value) "
    "VALUES(?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8)");
  for (const auto& [key, value] : write.records)
    insert.with(id)
      .with(whole(write.row.worker))
      .with(whole(write.row.batch))
      .with(whole(write.epoch))
      .with(Value{write.seconds})
      .with(time)
      .with(key)
      .with(value)
      .run();
}

void LogStore::write(const std::string& id, const WriteStatus& status) {
  auto insert = database_.prepare("INSERT OR REPLACE INTO status VALUES(?1, ?2, ?3, ?4)");
  for (const auto& [key, value] : status.records)
    insert.with(id).with(whole(status.worker)).with(key).with(value).run();
}

void LogStore::end(const std::string& id, const std::string& time) {
  database_.prepare("UPDATE runs SET ended = ?1 WHERE id = ?2").with(time).with(id).run();
}

StoredLog LogStore::log_in(const Database::Statement& select) {
  StoredLog log{
    {select.text(0), select.text(2), {}}, select.text(1), select.text(3), select.text(4)};
  auto at = database_.prepare("SELECT worker, batch FROM resumed_at WHERE id = ?1");
  at.with(log.start.id);
  while (at.next())
    log.start.resumed_at[static_cast<WorkerId>(at.number(0))] = static_cast<Step>(at.number(1));
  return log;
}

std::int64_t LogStore::lines_of(const std::string& id) {
  auto select = database_.prepare("SELECT lines FROM runs WHERE id = ?1");
  return select.with(id).next() ? select.number(0) : 0;
}

void LogStore::count_lines(const std::string& id, std::int64_t lines) {
  database_.prepare("UPDATE runs SET lines = ?1 WHERE id = ?2").with(lines).with(id).run();
}

std::vector<StoredLog> LogStore::logs() {
  auto select = database_.prepare(std::string{columns_of_a_log} + "ORDER BY started, rowid");
  std::vector<StoredLog> logs;
  while (select.next())
    logs.push_back(log_in(select));
  return logs;
}

std::vector<StoredLog> LogStore::chain(const std::string& id) {
  std::vector<StoredLog> logs;
  std::set<std::string> seen; // ends even if the chain is a cycle
  for (auto next = id; !next.empty() && seen.insert(next).second;) {
    auto select = database_.prepare(std::string{columns_of_a_log} + "WHERE id = ?1");
    if (!select.with(next).next())
      break;
    logs.push_back(log_in(select));
    next = logs.back().start.resumed_from;
  }
  std::reverse(logs.begin(), logs.end());
  return logs;
}

std::optional<StoredLog> LogStore::continuation(const std::string& id) {
  auto select = database_.prepare(std::string{columns_of_a_log}
                                  + "WHERE resumed_from = ?1 ORDER BY started DESC, rowid DESC");
  if (!select.with(id).next())
    return std::nullopt;
  return log_in(select);
}

std::vector<StoredEntry> LogStore::entries(const std::string& id, std::int64_t after) {
  auto select = database_.prepare("SELECT number, worker, batch, epoch, seconds, time, key, value "
                                  "FROM entries WHERE id = ?1 AND number > ?2 ORDER BY number");
  select.with(id).with(after);
  std::vector<StoredEntry> entries;
  while (select.next())
    entries.push_back(
      {select.number(0),
       {static_cast<WorkerId>(select.number(1)), static_cast<Step>(select.number(2))},
       static_cast<Epoch>(select.number(3)),
       select.real(4),
       select.text(5),
       select.text(6),
       select.value(7)});
  return entries;
}

std::vector<Row> LogStore::rows(const std::string& id, const Query& query) {
  std::map<Step, Row> rows;
  for (const auto& log : chain(id)) {
    std::erase_if(rows, [&](const auto& row) { return superseded(log.start, row.second.row); });
    for (const auto& entry : entries(log.start.id)) {
      if (entry.row.worker != query.worker || entry.row.batch < query.first
          || entry.row.batch > query.last)
        continue;
      auto& row = rows[entry.row.batch];
      row.row = entry.row;
      row.epoch = entry.epoch;
      row.seconds = entry.seconds;
      row.records[entry.key] = entry.value;
    }
  }
  std::vector<Row> result;
  for (auto& [batch, row] : rows)
    result.push_back(std::move(row));
  return result;
}

Records LogStore::status(const std::string& id, WorkerId worker) {
  Records status;
  for (const auto& log : chain(id)) {
    reopen(status);
    auto all = own_status(log.start.id);
    for (auto& [name, value] : all[worker])
      status[name] = value;
    status["log_id"] = Value{log.start.id};
    if (!log.start.resumed_from.empty())
      status["resumed_from"] = Value{log.start.resumed_from};
  }
  return status;
}

std::map<WorkerId, Records> LogStore::own_status(const std::string& id) {
  auto select = database_.prepare("SELECT worker, key, value FROM status WHERE id = ?1");
  select.with(id);
  std::map<WorkerId, Records> status;
  while (select.next())
    status[static_cast<WorkerId>(select.number(0))][select.text(1)] = select.value(2);
  return status;
}

} // namespace troupe
