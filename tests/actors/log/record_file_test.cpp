#include "actors/log/record_file.hpp"
#include "tests/support/captured_errors.hpp"
#include "tests/support/full_disk.hpp"

#include <nlohmann/json.hpp>

using namespace troupe;
using namespace troupe::test;

TEST_CASE("rows that a full disk has refused are retried with a flush, not with each row",
          "[logger]") {
  const DataFolder folder;
  const auto path = folder.path("log.jsonl");
  RecordFile file{path, "r"};
  const Write row{{0, 1}, 0, 0, {{"text", Value{std::string(100'000, 'x')}}}, ""};
  {
    const FullDisk full{0};
    file.write(row, 0);
    CHECK_FALSE(file.flush());
  }
  file.write(row, 0);
  CHECK(text_of_file(path).empty());
  CHECK(file.flush());
  CHECK(lines_of(text_of_file(path)).size() == 2);
}

TEST_CASE("of too many rows for a full disk the newest are kept", "[logger]") {
  const DataFolder folder;
  const auto path = folder.path("log.jsonl");
  RecordFile file{path, "r"};
  {
    const FullDisk full{0};
    for (Step batch = 1; batch <= 20; ++batch)
      file.write(Write{{0, batch}, 0, 0, {{"text", Value{std::string(1'000'000, 'x')}}}, ""}, 0);
    CHECK_FALSE(file.flush());
  }
  CHECK(file.flush());
  const auto lines = lines_of(text_of_file(path));
  REQUIRE(lines.size() == 15); // the 17th was beyond 16 MiB, for which five made room
  CHECK(nlohmann::json::parse(lines.front())["batch"] == 6);
  CHECK(nlohmann::json::parse(lines.back())["batch"] == 20);
}
