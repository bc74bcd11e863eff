#include "extensions/monitoring/timestamp.hpp"
#include "tests/support/extension_stage.hpp"

#include <cstdlib>
#include <ctime>
#include <regex>

using namespace troupe;
using namespace troupe::test;

namespace {

/// Another time zone during a test. POSIX counts west of Greenwich as positive.
class Zone {
public:
  explicit Zone(const char* zone) {
    if (const auto* before = std::getenv("TZ"))
      before_ = before;
    setenv("TZ", zone, 1);
    tzset();
  }
  ~Zone() {
    if (before_)
      setenv("TZ", before_->c_str(), 1);
    else
      unsetenv("TZ");
    tzset();
  }

private:
  std::optional<std::string> before_;
};

Extension timestamp(Stage& stage, TimestampOptions options = {},
                    std::function<double()> clock = {}) {
  return stage.world.keep(
    spawn_timestamp(stage.world.system, std::move(options), stage.logger, std::move(clock)));
}

bool matches(const Records& records, const std::string& name, const char* pattern) {
  return std::regex_match(text_in(records, name), std::regex{pattern});
}

} // namespace

TEST_CASE("a time is written as ISO 8601 with offset, as seconds, and as Legion's date",
          "[timestamp][B34][L18]") {
  const auto records = timestamp_records(1795230000.5, {});
  CHECK(names_of(records) == std::vector<std::string>{"datestamp", "timestamp", "unix_time"});
  CHECK(matches(records, "timestamp", R"(\d{4}-\d\d-\d\d \d\d:\d\d:\d\d[+-]\d\d:\d\d)"));
  CHECK(matches(records, "datestamp", R"(\d{4}-\d\d-\d\d \d\d:\d\d)"));
  CHECK(number_in(records, "unix_time") == 1795230000.5);
}

TEST_CASE("local time has its offset", "[timestamp][L18]") {
  Zone zone{"IST-5:30"};
  const auto records = timestamp_records(0.9, {});
  CHECK(text_in(records, "timestamp") == "1970-01-01 05:30:00+05:30");
  CHECK(text_in(records, "datestamp") == "1970-01-01 05:30");
}

TEST_CASE("west of Greenwich the offset is negative", "[timestamp][L18]") {
  Zone zone{"EST5"};
  CHECK(text_in(timestamp_records(0, {}), "timestamp") == "1969-12-31 19:00:00-05:00");
}

TEST_CASE("the record's name and the separator are options", "[timestamp][B34]") {
  Zone zone{"UTC0"};
  const auto records = timestamp_records(0, {.record = "at", .separator = "T"});
  CHECK(names_of(records) == std::vector<std::string>{"at", "datestamp", "unix_time"});
  CHECK(text_in(records, "at") == "1970-01-01T00:00:00+00:00");
}

TEST_CASE("Legion's names make the timestamp a number", "[timestamp][L18]") {
  const auto records = timestamp_records(12.25, {.legion_records = true});
  CHECK(names_of(records) == std::vector<std::string>{"datestamp", "timestamp"});
  CHECK(number_in(records, "timestamp") == 12.25);
}

TEST_CASE("the timestamp has six default triggers", "[timestamp][B34]") {
  CHECK(triggers_of(timestamp_conditions())
        == std::vector<std::string>{"before_training", "after_epoch", "on_error", "on_interrupt",
                                    "on_resumption", "after_training"});
}

TEST_CASE("rows have the time of their event", "[timestamp][B34]") {
  Stage stage{{.epochs = 2}};
  const auto clock = [&] { return 1000 + stage.world.now(); };
  stage.observe("timestamp", timestamp_conditions(), timestamp(stage, {}, clock));
  stage.run();
  const auto begin = number_in(stage.row(0), "unix_time");
  CHECK(number_in(stage.row(3), "unix_time") - begin == Approx(3));
  CHECK(number_in(stage.row(6), "unix_time") - begin == Approx(6));
  CHECK(stage.row(1).empty());
}

TEST_CASE("without a given clock it reads the system's", "[timestamp][L18]") {
  Stage stage;
  stage.observe("timestamp", timestamp_conditions(), timestamp(stage));
  stage.finish_after(1);
  stage.run();
  const auto now = static_cast<double>(std::time(nullptr));
  CHECK(number_in(stage.row(0), "unix_time") == Approx(now).margin(60));
}

TEST_CASE("as a gate it puts the time into the row that other gates see", "[timestamp]") {
  Stage stage;
  stage.gate("timestamp", trigger("after_batch"), timestamp(stage, {}, [] { return 7.0; }));
  stage.finish_after(1);
  stage.run();
  CHECK(number_in(stage.row(1), "unix_time") == 7);
}

TEST_CASE("a run that fails has the time of its failure", "[timestamp][B34]") {
  Stage stage;
  stage.problem->poison(15);
  stage.observe("timestamp", timestamp_conditions(), timestamp(stage, {}, [] { return 7.0; }));
  CHECK(stage.run().outcome == Outcome::failed);
  CHECK(number_in(stage.row(1), "unix_time") == 7);
}

TEST_CASE("a trigger by time fires after the batch in which the time has passed",
          "[timestamp][B54]") {
  Stage stage;
  stage.observe("timestamp", trigger("every_n_seconds", Value{2.5}), timestamp(stage));
  stage.finish_after(8);
  stage.run();
  std::vector<Step> stamped;
  for (Step batch = 0; batch <= 8; ++batch)
    if (stage.row(batch).count("unix_time") > 0)
      stamped.push_back(batch);
  CHECK(stamped == std::vector<Step>{3, 5, 8});
}
