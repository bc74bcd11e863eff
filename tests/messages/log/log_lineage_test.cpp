#include "messages/log/log_lineage.hpp"

#include <catch2/catch.hpp>

#include <set>

using namespace troupe;

TEST_CASE("rows beyond the batch from which a worker resumes are superseded", "[log][B46]") {
  const LogStart start{"b", "a", {{0, 10}, {3, 0}}};
  CHECK_FALSE(superseded(start, {0, 10}));
  CHECK(superseded(start, {0, 11}));
  CHECK_FALSE(superseded(start, {3, 0}));
  CHECK(superseded(start, {3, 1}));
  CHECK_FALSE(superseded(start, {1, 999}));
  CHECK_FALSE(superseded(LogStart{"a", "", {}}, {0, 999}));
}

TEST_CASE("log ids are 32 random hexadecimal digits", "[log][B46]") {
  std::set<std::string> ids;
  for (int i = 0; i < 1000; ++i) {
    const auto id = new_log_id();
    REQUIRE(id.size() == 32);
    REQUIRE(id.find_first_not_of("0123456789abcdef") == std::string::npos);
    ids.insert(id);
  }
  CHECK(ids.size() == 1000);
}

TEST_CASE("a reopened status does not contain how the run ended", "[log][B46]") {
  Records status{{"outcome", Value{"finished"}},
                 {"reason", Value{"2 epochs are done"}},
                 {"training_finished", Value{true}},
                 {"best_loss", Value{0.5}}};
  reopen(status);
  CHECK(status == Records{{"best_loss", Value{0.5}}});
}
