#include "actors/log/log_store.hpp"
#include "tests/support/data_files.hpp"

#include <sys/wait.h>

#include <limits>
#include <random>

using namespace troupe;
using namespace troupe::test;

namespace {

const std::string first(32, '1'), second(32, '2'), third(32, '3');
const std::string noon = "2026-01-31T12:00:00.000Z";

Write row_of(WorkerId worker, Step batch, Records records) {
  return {{worker, batch}, batch / 10, static_cast<double>(batch), std::move(records), ""};
}

/// "10 loss=1; 20 loss=2; "
std::string text_of(const std::vector<Row>& rows) {
  std::string text;
  for (const auto& row : rows) {
    text += std::to_string(row.row.batch);
    for (const auto& [name, value] : row.records)
      text += " " + name + "=" + to_string(value);
    text += "; ";
  }
  return text;
}

constexpr Query everything{0, 0, std::numeric_limits<Step>::max() / 2};

struct Store {
  DataFolder folder;
  std::string path = folder.path("logs.sqlite");
  LogStore log{path, LogStore::Access::write};
};

} // namespace

TEST_CASE("a store returns what was written, with its types", "[store][B47]") {
  Store store;
  store.log.begin({first, "", {}}, "digits/1", noon);
  const Records records{{"count", Value{std::int64_t{-3}}},
                        {"loss", Value{0.1}},
                        {"saved_to", Value{"a'b\"c;--"}},
                        {"empty", Value{""}},
                        {"yes", Value{true}},
                        {"none", Value{std::nan("")}},
                        {"much", Value{std::numeric_limits<double>::infinity()}}};
  store.log.write(first, row_of(0, 10, records), noon);
  const auto rows = store.log.rows(first, everything);
  REQUIRE(rows.size() == 1);
  auto expected = records;
  expected["yes"] = Value{std::int64_t{1}};
  CHECK(std::isnan(std::get<double>(rows[0].records.at("none"))));
  auto got = rows[0].records;
  got.erase("none");
  expected.erase("none");
  CHECK(got == expected);
  CHECK(rows[0].epoch == 1);
  CHECK(rows[0].seconds == 10);
}

TEST_CASE("another process reads rows while they are written", "[store][B47]") {
  Store store;
  store.log.begin({first, "", {}}, "digits/1", noon);
  for (Step batch = 1; batch <= 3; ++batch) {
    store.log.write(first, row_of(0, batch, {{"loss", Value{0.5}}}), noon);
    const auto child = fork();
    if (child == 0) {
      LogStore reader{store.path, LogStore::Access::read};
      _exit(static_cast<int>(reader.rows(first, everything).size()));
    }
    int status = 0;
    waitpid(child, &status, 0);
    CHECK(WEXITSTATUS(status) == static_cast<int>(batch));
  }
}

TEST_CASE("a record that is written again replaces the previous one and is new", "[store][B47]") {
  Store store;
  store.log.begin({first, "", {}}, "digits/1", noon);
  store.log.write(first, row_of(0, 1, {{"loss", Value{1.0}}, {"x", Value{7.0}}}), noon);
  const auto seen = store.log.entries(first).back().number;
  store.log.write(first, row_of(0, 1, {{"x", Value{8.0}}}), noon);
  const auto later = store.log.entries(first, seen);
  REQUIRE(later.size() == 1);
  CHECK(later[0].value == Value{8.0});
  CHECK(text_of(store.log.rows(first, everything)) == "1 loss=1 x=8; ");
}

TEST_CASE("rows and status follow the logs that a run continues", "[store][B46]") {
  Store store;
  store.log.begin({first, "", {}}, "digits/1", noon);
  for (Step batch : {10, 20, 30})
    store.log.write(first, row_of(0, batch, {{"loss", Value{1.0}}}), noon);
  store.log.write(first, row_of(1, 40, {{"loss", Value{1.0}}}), noon);
  store.log.write(first, WriteStatus{0, {{"best", Value{0.25}}, {"outcome", Value{"failed"}}}});
  store.log.begin({second, first, {{0, 20}}}, "digits/1", noon);
  store.log.write(second, row_of(0, 20, {{"note", Value{2.0}}}), noon);
  store.log.write(second, row_of(0, 40, {{"loss", Value{2.0}}}), noon);
  store.log.begin({third, second, {{0, 10}}}, "digits/1", noon);
  store.log.write(third, row_of(0, 15, {{"loss", Value{3.0}}}), noon);

  CHECK(text_of(store.log.rows(first, everything)) == "10 loss=1; 20 loss=1; 30 loss=1; ");
  CHECK(text_of(store.log.rows(second, everything)) == "10 loss=1; 20 loss=1 note=2; 40 loss=2; ");
  CHECK(text_of(store.log.rows(third, everything)) == "10 loss=1; 15 loss=3; ");
  CHECK(text_of(store.log.rows(third, {0, 11, 99})) == "15 loss=3; ");
  CHECK(text_of(store.log.rows(third, {1, 0, 99})) == "40 loss=1; ");
  CHECK(
    store.log.status(second, 0)
    == Records{{"best", Value{0.25}}, {"log_id", Value{second}}, {"resumed_from", Value{first}}});
  REQUIRE(store.log.chain(third).size() == 3);
  CHECK(store.log.chain(third)[1].start == LogStart{second, first, {{0, 20}}});
  CHECK(store.log.continuation(first)->start.id == second);
  CHECK_FALSE(store.log.continuation(third));
}

TEST_CASE("a log that was killed and resumed at random reads like an undisturbed one",
          "[store][B46]") {
  std::mt19937 random{7};
  for (int round = 0; round < 20; ++round) {
    Store store;
    std::string before;
    Step batch = 0;
    while (batch < 50) {
      const auto id = new_log_id();
      LogStart start{id, before, {}};
      if (!before.empty())
        start.resumed_at[0] = batch = random() % (batch + 1); // of the last checkpoint
      store.log.begin(start, "r", noon);
      const auto killed_at = std::min<Step>(batch + 1 + random() % 30, 50);
      while (batch < killed_at) {
        ++batch;
        store.log.write(id, row_of(0, batch, {{"loss", Value{1.0 / static_cast<double>(batch)}}}),
                        noon);
      }
      before = id;
    }
    const auto rows = store.log.rows(before, everything);
    REQUIRE(rows.size() == 50);
    for (std::size_t i = 0; i < rows.size(); ++i)
      CHECK(rows[i]
            == Row{{0, i + 1},
                   (i + 1) / 10,
                   static_cast<double>(i + 1),
                   {{"loss", Value{1.0 / static_cast<double>(i + 1)}}}});
  }
}

TEST_CASE("a cyclic or broken chain ends", "[store][B46]") {
  Store store;
  store.log.begin({first, second, {}}, "a", noon);
  store.log.begin({second, first, {}}, "a", noon);
  store.log.begin({third, std::string(32, 'f'), {}}, "b", noon);
  CHECK(store.log.chain(first).size() == 2);
  CHECK(store.log.chain(third).size() == 1);
  CHECK(store.log.chain("nobody").empty());
}

TEST_CASE("several runs share a store, and no reader sees half a transaction", "[store][B47]") {
  Store store;
  LogStore other{store.path, LogStore::Access::write, std::chrono::milliseconds{0}};
  store.log.begin({first, "", {}}, "a", noon);
  other.begin({second, "", {}}, "b", noon);
  CHECK_THROWS_AS(store.log.transact([&] {
    store.log.write(first, row_of(0, 1, {{"loss", Value{1.0}}}), noon);
    CHECK(other.rows(first, everything).empty());
    other.transact([] {});
  }),
                  StoreError);
  CHECK(store.log.rows(first, everything).empty());
  other.write(second, row_of(0, 1, {{"loss", Value{2.0}}}), noon);
  REQUIRE(store.log.logs().size() == 2);
  CHECK(store.log.logs()[1].name == "b");
  CHECK(text_of(store.log.rows(second, everything)) == "1 loss=2; ");
}

TEST_CASE("files that are no store are refused and stay as they are", "[store][B47]") {
  DataFolder folder;
  const auto open = [&](const std::string& path) {
    return sentence_of<StoreError>([&] { LogStore{path, LogStore::Access::write}; });
  };
  const auto text = folder.write("text", std::string(5000, 'x'));
  CHECK_THAT(open(text), Catch::Contains(text) && Catch::Contains("not a database"));
  CHECK_THAT(open(folder.path("nowhere/x")), Catch::Contains("name a file in a folder"));
  const auto foreign = folder.path("foreign");
  Database{foreign, Database::Access::write}.run("CREATE TABLE runs(a)");
  CHECK_THAT(open(foreign), Catch::Contains("another program's"));
  const auto absent = folder.path("absent");
  CHECK_THAT(sentence_of<StoreError>([&] {
               LogStore{absent, LogStore::Access::read};
             }),
             Catch::Contains(absent));
  CHECK_FALSE(std::filesystem::exists(absent));
}

TEST_CASE("a truncated store is an error and no crash", "[store][B47]") {
  DataFolder folder;
  const auto whole = folder.path("whole");
  {
    LogStore log{whole, LogStore::Access::write};
    log.begin({first, "", {}}, "a", noon);
    log.transact([&] {
      for (Step batch = 0; batch < 500; ++batch)
        log.write(first, row_of(0, batch, {{"loss", Value{0.5}}}), noon);
    });
  }
  const auto bytes = std::filesystem::file_size(whole);
  REQUIRE(bytes > 20000);
  for (std::uintmax_t size :
       {std::uintmax_t{1}, std::uintmax_t{50}, std::uintmax_t{4096}, bytes / 2, bytes - 4096}) {
    const auto cut = folder.path("cut");
    std::filesystem::copy_file(whole, cut, std::filesystem::copy_options::overwrite_existing);
    std::filesystem::resize_file(cut, size);
    INFO(size);
    try {
      LogStore log{cut, LogStore::Access::read};
      CHECK(log.rows(first, everything).size() <= 500);
    } catch (const StoreError& error) {
      CHECK_THAT(error.what(), Catch::Contains(cut));
    }
  }
}
