#include "actors/log/logger.hpp"
#include "actors/log/store_writer.hpp"
#include "tests/support/captured_errors.hpp"
#include "tests/support/deterministic_system.hpp"
#include "tests/support/full_disk.hpp"

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

struct StoreStage {
  explicit StoreStage(const std::string& store, const std::string& file)
    : logger(world.keep(spawn_logger(
      world.system,
      {.run = "r", .file = file, .store = store, .id = one, .console = ConsoleOptions{}}))) {}
  void write(Step batch) {
    world.self->send(logger, loss_at(batch));
    world.advance(200ms);
  }
  DeterministicSystem world;
  Logger logger;
};

} // namespace

TEST_CASE("rows wait for a store that another program locks, which is reported once",
          "[store][B47]") {
  DataFolder folder;
  const auto path = folder.path("store");
  StoreWriter writer{path, "r", {one, "", {}}, 0};
  CHECK(writer.flush(0ms).empty());
  LogStore other{path, LogStore::Access::write};
  other.transact([&] {
    writer.write(loss_at(1), 0);
    CHECK_THAT(writer.flush(0ms), Catch::Contains("another program holds it"));
    writer.write(loss_at(2), 0);
    CHECK(writer.flush(0ms).empty());
    CHECK(writer.missing() == 2);
  });
  CHECK(rows_in(path) == 0);
  CHECK(writer.flush(0ms).empty());
  CHECK(writer.missing() == 0);
  CHECK(rows_in(path) == 2);
}

TEST_CASE("rows that a full disk refuses are written once there is room", "[store][B47]") {
  DataFolder folder;
  const auto path = folder.path("store");
  StoreWriter writer{path, "r", {one, "", {}}, 0};
  CHECK(writer.flush(0ms).empty());
  for (Step batch = 0; batch < 3000; ++batch)
    writer.write(loss_at(batch), 0);
  {
    const FullDisk full{100'000};
    CHECK_THAT(writer.flush(0ms), Catch::Contains("disk"));
  }
  CHECK(writer.flush(0ms).empty());
  CHECK(rows_in(path) == 3000);
}

TEST_CASE("a read-only store is reported", "[store][B47]") {
  DataFolder folder;
  const auto path = folder.path("store");
  { LogStore made{path, LogStore::Access::write}; }
  {
    std::fstream file{path, std::ios::in | std::ios::out | std::ios::binary};
    file.seekp(18); // the header's write version: one above ours means read only
    file.put(3);
  }
  StoreWriter writer{path, "r", {one, "", {}}, 0};
  CHECK_THAT(writer.flush(0ms), Catch::Contains("read") && Catch::Contains("log.jsonl"));
}

TEST_CASE("waiting rows do not fill the memory", "[store][B47]") {
  DataFolder folder;
  StoreWriter writer{folder.path("nowhere/store"), "r", {one, "", {}}, 0, 100};
  for (Step batch = 0; batch < 1000; ++batch)
    writer.write(loss_at(batch), 0);
  CHECK(writer.missing() == 1001);
}

TEST_CASE("the logger writes its rows and status to the store during training",
          "[logger][B46][B47]") {
  DataFolder folder;
  const auto path = folder.path("store");
  {
    StoreStage stage{path, ""};
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
