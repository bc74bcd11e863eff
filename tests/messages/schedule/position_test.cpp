#include "messages/schedule/position.hpp"

#include <catch2/catch.hpp>

using namespace troupe;
using Catch::Contains;

namespace {

Position somewhere() {
  return {.batches = 7,
          .epochs = 2,
          .examples = 200,
          .seconds = 1.5,
          .training_seconds = 1.25,
          .timelines = {{"tokens", 1e6}}};
}

} // namespace

TEST_CASE("a position has the time on each built-in timeline", "[position][P7][P8][P9][P10]") {
  const auto p = somewhere();
  CHECK(time_on(p, "batches") == 7);
  CHECK(time_on(p, "epochs") == 2);
  CHECK(time_on(p, "examples") == 200);
  CHECK(time_on(p, "seconds") == 1.5);
  CHECK(time_on(p, "training_seconds") == 1.25);
  CHECK(time_on(p, Timeline::training_seconds) == 1.25);
}

TEST_CASE("training begins at time 0 on every timeline", "[position][P7]") {
  for (auto name : {"batches", "epochs", "examples", "seconds", "training_seconds"}) {
    CHECK(is_builtin_timeline(name));
    CHECK(time_on(Position{}, name) == 0);
  }
}

TEST_CASE("a registered timeline is found by its name", "[position][P14]") {
  CHECK(time_on(somewhere(), "tokens") == 1e6);
  CHECK_FALSE(is_builtin_timeline("tokens"));
  CHECK(custom_timelines(somewhere()) == std::vector<std::string>{"tokens"});
}

TEST_CASE("an unknown timeline is rejected with the nearest known one", "[position][P14]") {
  CHECK_THROWS_WITH(time_on(somewhere(), "token"),
                    Contains("'token'") && Contains("did you mean 'tokens'?"));
  CHECK_THROWS_WITH(time_on(Position{}, "training_secnds"), Contains("'training_seconds'"));
  CHECK_THROWS_WITH(time_on(Position{}, "zzzzzzzz"), Contains("known are batches, epochs"));
  CHECK_THROWS_AS(time_on(Position{}, ""), std::invalid_argument);
}

TEST_CASE("positions are equal if every timeline is", "[position]") {
  auto other = somewhere();
  CHECK(other == somewhere());
  other.timelines["tokens"] += 1;
  CHECK_FALSE(other == somewhere());
  detail::check_fields<Position>();
}
