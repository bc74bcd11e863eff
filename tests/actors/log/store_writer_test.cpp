#include "actors/log/log_sink_kind.hpp"
#include "actors/log/logger.hpp"
#include "actors/log/record_file.hpp"
#include "actors/log/store_writer.hpp"
#include "messages/log/log_line.hpp"
#include "tests/support/captured_errors.hpp"
#include "tests/support/deterministic_system.hpp"
#include "tests/support/full_disk.hpp"

#include <array>
#include <random>

using namespace troupe;
using namespace troupe::test;

namespace {

const std::string one(32, '1');

Write loss_at(Step batch, double loss = 0.5) {
  return {{0, batch}, 0, 0, {{"loss", Value{loss}}}, ""};
}

std::size_t rows_in(const std::string& path, const std::string& id = one) {
  return LogStore{path, LogStore::Access::read}.rows(id, {0, 0, 1'000'000}).size();
}

/// A log's file, and what copies it.
struct CopiedLog {
  CopiedLog() { file.write(LogStart{one, "", {}}, 0); }
  std::string copy() {
    file.flush();
    return writer.flush(0ms);
  }
  DataFolder folder;
  std::string path = folder.path("store"), log = folder.path("log.jsonl");
  RecordFile file{log, "r"};
  StoreWriter writer{path, log};
};

/// As `log: {store: {path: ...}}` names it.
NamedLogSink store_sink(const std::string& path) {
  auto section = config::Node::map();
  section.put("path", config::Node::scalar(path, "test", true));
  return {"store", log_sink_kinds().find("store")->make(section, "log.store")};
}

struct StoreStage {
  explicit StoreStage(const std::string& store, const std::string& file)
    : logger(world.keep(spawn_logger(world.system, {.run = "r",
                                                    .file = file,
                                                    .sinks = {store_sink(store)},
                                                    .id = one,
                                                    .console = ConsoleOptions{}}))) {}
  void write(Step batch) {
    world.self->send(logger, loss_at(batch));
    world.advance(200ms);
  }
  DeterministicSystem world;
  Logger logger;
};

/// "0/10 loss=0.5; " of all rows that a log of the store has, in the order of their arrival.
std::string stored_text(const std::string& path, const std::string& id = one) {
  std::string text;
  for (const auto& entry : LogStore{path, LogStore::Access::read}.entries(id))
    text += std::to_string(entry.row.worker) + "/" + std::to_string(entry.row.batch) + " "
            + entry.key + "=" + to_string(entry.value) + "; ";
  return text;
}

/// The same of all rows of a file.
std::string logged_text_of(const std::string& path) {
  std::string text;
  for (const auto& line : lines_of(text_of_file(path)))
    if (const auto row = logged_row(line))
      for (const auto& [name, value] : row->records)
        text += std::to_string(row->row.worker) + "/" + std::to_string(row->row.batch) + " " + name
                + "=" + to_string(value) + "; ";
  return text;
}

} // namespace

TEST_CASE("rows wait for a store that another program locks, which is reported once",
          "[store][B47]") {
  CopiedLog log;
  CHECK(log.copy().empty());
  LogStore other{log.path, LogStore::Access::write};
  other.transact([&] {
    log.file.write(loss_at(1), 0);
    CHECK_THAT(log.copy(), Catch::Contains("another program holds it"));
    log.file.write(loss_at(2), 0);
    CHECK(log.copy().empty());
    CHECK(log.writer.missing() == 2);
  });
  CHECK(rows_in(log.path) == 0);
  while (log.copy().empty() && log.writer.behind())
    continue;
  CHECK(log.writer.missing() == 0);
  CHECK(rows_in(log.path) == 2);
}

TEST_CASE("rows that a full disk refuses are written once there is room", "[store][B47]") {
  CopiedLog log;
  CHECK(log.copy().empty());
  for (Step batch = 0; batch < 3000; ++batch)
    log.file.write(loss_at(batch), 0);
  log.file.flush();
  {
    const FullDisk full{100'000};
    CHECK_THAT(log.writer.flush(0ms), Catch::Contains("disk"));
  }
  while (log.copy().empty() && log.writer.behind())
    continue;
  CHECK(rows_in(log.path) == 3000);
}

TEST_CASE("a read-only store is reported", "[store][B47]") {
  CopiedLog log;
  { LogStore made{log.path, LogStore::Access::write}; }
  {
    std::fstream file{log.path, std::ios::in | std::ios::out | std::ios::binary};
    file.seekp(18); // the header's write version: one above ours means read only
    file.put(3);
  }
  CHECK_THAT(log.copy(), Catch::Contains("read"));
}

TEST_CASE("a store gets all rows after an outage of any length, from a few in memory at a time",
          "[store][I19]") {
  CopiedLog log;
  CHECK(log.copy().empty());
  LogStore{log.path, LogStore::Access::write}.transact([&] {
    for (Step batch = 1; batch <= 200'000; ++batch)
      log.file.write(loss_at(batch), 0);
    log.copy();
    CHECK(log.writer.missing() == 200'000);
  });
  auto pieces = 0;
  while (log.copy().empty() && log.writer.behind())
    ++pieces;
  CHECK(pieces > 40);
  CHECK(rows_in(log.path) == 200'000);
  CHECK(log.writer.missing() == 0);
}

TEST_CASE("a store that was removed gets the whole log again", "[store][I19]") {
  CopiedLog log;
  log.file.write(loss_at(1), 0);
  CHECK(log.copy().empty());
  for (const auto* end : {"", "-wal", "-shm"})
    std::filesystem::remove(log.path + end);
  log.file.write(loss_at(2), 0);
  CHECK(log.copy().empty());
  CHECK(stored_text(log.path) == "0/1 loss=0.5; 0/2 loss=0.5; ");
  CHECK(LogStore(log.path, LogStore::Access::read).logs().at(0).name == "r");
}

TEST_CASE("two programs that copy one log add each row once", "[store][I19]") {
  CopiedLog log;
  StoreWriter other{log.path, log.log};
  for (Step batch = 1; batch <= 20; ++batch) {
    log.file.write(loss_at(batch), 0);
    log.file.flush();
    CHECK((batch % 3 == 0 ? other : log.writer).flush(0ms).empty());
  }
  const auto entries = LogStore{log.path, LogStore::Access::read}.entries(one);
  CHECK(entries.size() == 20);
  CHECK(entries.back().number == 20); // nothing was replaced
  CHECK(stored_text(log.path) == logged_text_of(log.log));
}

TEST_CASE("a store of the version before is brought up to date", "[store][I19]") {
  CopiedLog log;
  log.file.write(loss_at(1), 0);
  CHECK(log.copy().empty());
  {
    Database database{log.path, Database::Access::write};
    database.run("ALTER TABLE runs DROP COLUMN lines; PRAGMA user_version = 1");
  }
  CHECK(rows_in(log.path) == 1);
  log.file.write(loss_at(2), 0);
  StoreWriter later{log.path, log.log};
  log.file.flush();
  CHECK(later.flush(0ms).empty());
  CHECK(stored_text(log.path) == logged_text_of(log.log));
}

namespace {

/// A store whose folder goes away and comes back.
struct DistantStore {
  void leave() {
    if (std::filesystem::exists(place))
      std::filesystem::rename(place, place + ".away");
  }
  void come_back() {
    if (!std::filesystem::exists(place))
      std::filesystem::rename(place + ".away", place);
  }
  DataFolder folder;
  std::string place = folder.path("place"), path = place + "/store";
  bool made = std::filesystem::create_directory(place);
};

/// Two workers that write rows, until they end in good order or are killed during an outage.
void live_once(DistantStore& store, const std::array<std::string, 2>& files,
               std::vector<std::string>& ids, std::mt19937& random) {
  const auto killed = random() % 2 == 0;
  std::array<std::string, 2> left;
  {
    DeterministicSystem world;
    std::vector<Logger> loggers;
    for (const auto& file : files) {
      LoggerOptions options{
        .run = "r", .file = file, .sinks = {store_sink(store.path)}, .id = new_log_id()};
      options.resumed_from = ids.size() >= 2 ? ids[ids.size() - 2] : "";
      ids.push_back(options.id);
      loggers.push_back(world.keep(spawn_logger(world.system, options)));
    }
    for (Step batch = 1; batch <= 40; ++batch) {
      for (WorkerId worker = 0; worker < 2; ++worker)
        world.self->send(loggers[worker], Write{{worker, batch}, 0, 0, {{"x", Value{0.5}}}, ""});
      world.advance(std::chrono::milliseconds{random() % 300});
      CHECK(world.ask<Row>(loggers[0], ReadRow{{0, batch}, true})->records.size() == 1);
      if (random() % 8 == 0)
        store.leave();
      else if (random() % 8 == 0)
        store.come_back();
    }
    if (killed)
      store.leave();
    else if (random() % 2 == 0)
      store.come_back();
    for (std::size_t worker = 0; killed && worker < 2; ++worker)
      left[worker] = text_of_file(files[worker]) + (random() % 2 == 0 ? R"({"run":"r","wor)" : "");
  }
  for (std::size_t worker = 0; killed && worker < 2; ++worker)
    std::ofstream{files[worker], std::ios::binary} << left[worker];
}

} // namespace

// The store goes away and comes back, and processes are killed and resumed, at moments drawn from
// the seed. No row is lost, doubled or out of order.
TEST_CASE("stores of runs that are killed during outages catch up with their logs",
          "[logger][I19]") {
  for (unsigned seed = 1; seed <= 30; ++seed) {
    INFO("seed " << seed);
    const CapturedErrors errors;
    std::mt19937 random{seed};
    DistantStore store;
    const std::array files{store.folder.path("worker-0"), store.folder.path("worker-1")};
    std::vector<std::string> ids;
    for (auto life = 0; life < 4; ++life)
      live_once(store, files, ids, random);
    store.come_back();
    std::array<std::string, 2> stored;
    for (const auto& file : files) {
      StoreWriter writer{store.path, file};
      do
        REQUIRE(writer.flush(0ms).empty());
      while (writer.behind());
    }
    for (std::size_t i = 0; i < ids.size(); ++i)
      stored[i % 2] += stored_text(store.path, ids[i]);
    for (std::size_t worker = 0; worker < 2; ++worker)
      CHECK(stored[worker] == logged_text_of(files[worker]));
    CHECK(stored[0].size() > 1000);
  }
}

TEST_CASE("the logger writes its rows and status to the store during training",
          "[logger][B46][B47]") {
  DataFolder folder;
  const auto path = folder.path("store");
  {
    StoreStage stage{path, folder.path("log.jsonl")};
    stage.write(1);
    stage.world.self->send(stage.logger, WriteStatus{0, {{"epochs_done", Value{std::int64_t{2}}}}});
    stage.world.advance(200ms);
    CHECK(rows_in(path) == 1);
    LogStore reader{path, LogStore::Access::read};
    CHECK(reader.status(one, 0)
          == Records{{"epochs_done", Value{std::int64_t{2}}}, {"log_id", Value{one}}});
    CHECK(reader.logs().at(0).ended.empty());
  }
  CHECK_FALSE(LogStore(path, LogStore::Access::read).logs().at(0).ended.empty());
}

TEST_CASE("training continues without a store that is invalid, with one warning", "[logger][B47]") {
  CapturedErrors errors;
  DataFolder folder;
  const auto store = folder.write("store", std::string(5000, 'x'));
  const auto file = folder.path("log.jsonl");
  StoreStage stage{store, file};
  for (Step batch = 1; batch <= 3; ++batch)
    stage.write(batch);
  REQUIRE(stage.world.ask<Flushed>(stage.logger, Flush{}));
  CHECK(errors.lines().size() == 1);
  CHECK_THAT(errors.text(), Catch::Contains("not a database"));
  CHECK(lines_of(text_of_file(file)).size() == 4);
  CHECK(text_of_file(store) == std::string(5000, 'x'));
  REQUIRE(stage.world.ask<Rows>(stage.logger, Query{0, 0, 9})->rows.size() == 3);
}
