#include "apps/plots/log_columns.hpp"
#include "apps/run_index/run_entry.hpp"
#include "apps/run_index/stored_runs.hpp"
#include "tests/support/program.hpp"

#include <catch2/catch.hpp>

using namespace troupe;
using namespace troupe::test;

namespace {

const std::string first_id(32, 'a');
const std::string second_id(32, 'b');
const std::string other_id(32, 'c');

void write_value(LogStore& store, const std::string& id, Step batch, double loss,
                 const std::string& time) {
  store.write(id, Write{{0, batch}, 1, 0.5, {{"loss", Value{loss}}}, ""}, time);
}

/// A run that was resumed at batch 2, and another one.
struct FilledStore {
  WorkFolder folder;
  std::filesystem::path path = folder.path() / "logs.sqlite";
  LogStore store{path.string(), LogStore::Access::write};

  FilledStore() {
    store.begin({first_id, "", {}}, "digits", "2026-01-31T12:00:00.000Z");
    for (const Step batch : {1, 2, 3})
      write_value(store, first_id, batch, static_cast<double>(10 * batch),
                  "2026-01-31T12:00:0" + std::to_string(batch) + ".000Z");
    store.begin({other_id, "", {}}, "spirals", "2026-01-31T12:01:00.000Z");
    resume();
  }

  void resume() {
    store.begin({second_id, first_id, {{0, 2}}}, "digits", "2026-01-31T12:02:00.000Z");
    write_value(store, second_id, 2, 21, "2026-01-31T12:02:01.000Z");
    write_value(store, second_id, 3, 31, "2026-01-31T12:02:02.000Z");
  }
};

std::vector<double> losses_in(LogSource& log, LogColumns& columns) {
  log.poll(columns);
  const auto* series = columns.find(0, "loss");
  return series == nullptr ? std::vector<double>{}
                           : std::vector<double>{series->values.begin(), series->values.end()};
}

} // namespace

TEST_CASE("a resumed run in a store is one run, with the rows that count", "[dashboard][log]") {
  FilledStore filled;
  const auto runs = find_stored_runs(filled.store, filled.path, {});
  REQUIRE(runs.size() == 2);
  CHECK(runs[0].path == filled.path / "digits@aaaaaaaa");
  CHECK(runs[1].path == filled.path / "spirals@cccccccc");
  LogColumns columns;
  const auto log = opened_log(runs[0]);
  CHECK(losses_in(*log, columns) == std::vector<double>{10, 21, 31});
  CHECK(log->head().starts().size() == 2);
  CHECK(log->rows() == 5);
}

TEST_CASE("runs that are shown from folders are left out of a store", "[dashboard][log]") {
  FilledStore filled;
  const auto runs = find_stored_runs(filled.store, filled.path, {first_id});
  REQUIRE(runs.size() == 1);
  CHECK(runs.front().log == other_id);
}

TEST_CASE("a log in a store is followed, also into a resume", "[dashboard][log]") {
  FilledStore filled;
  LogColumns columns;
  const FoundFolder other{filled.path / "spirals", {}, {}, filled.path, other_id};
  const auto log = opened_log(other);
  CHECK(losses_in(*log, columns).empty());
  write_value(filled.store, other_id, 1, 5, "2026-01-31T12:03:00.000Z");
  write_value(filled.store, other_id, 2, 4, "2026-01-31T12:03:01.000Z");
  CHECK(losses_in(*log, columns) == std::vector<double>{5, 4});
  const auto before = log->position();
  const std::string next(32, 'd');
  filled.store.begin({next, other_id, {{0, 1}}}, "spirals", "2026-01-31T12:04:00.000Z");
  write_value(filled.store, next, 2, 3, "2026-01-31T12:04:01.000Z");
  CHECK(losses_in(*log, columns) == std::vector<double>{5, 3});
  CHECK(log->position() > before);
}

TEST_CASE("a run in a store trains while rows come, whatever the clock that dated them says",
          "[dashboard][log]") {
  FilledStore filled;
  const FoundFolder found{filled.path / "spirals", {}, {}, filled.path, other_id};
  SharedTexts texts;
  RunEntry run{found, opened_log(found), texts};
  write_value(filled.store, other_id, 1, 5, "2026-01-31T12:03:00.000Z");
  const auto state_now = [&run] {
    run.refresh_log();
    run.refresh_state();
    return run.state();
  };
  CHECK(state_now() == ShownState::lost);
  write_value(filled.store, other_id, 2, 4, "2026-01-31T12:03:01.000Z");
  CHECK(state_now() == ShownState::training);
}
