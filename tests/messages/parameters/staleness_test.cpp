#include "messages/parameters/staleness.hpp"

#include <catch2/catch.hpp>

#include <limits>

using namespace troupe;

TEST_CASE("a staleness is read from the text that it prints", "[staleness][L9]") {
  for (std::int64_t bound : {std::int64_t{-1}, std::int64_t{0}, std::int64_t{1}, std::int64_t{3},
                             std::numeric_limits<std::int64_t>::max()}) {
    Staleness read{77};
    CHECK(from_text(to_string(Staleness{bound}), read));
    CHECK(read == Staleness{bound});
  }
  CHECK(to_string(Staleness{}) == "unbounded");
  CHECK(to_string(Staleness{0}) == "0");
  CHECK(to_string(Staleness{12}) == "12");
}

TEST_CASE("a text that is not a staleness is refused and changes nothing", "[staleness][L9]") {
  Staleness untouched{5};
  for (const auto* text : {"", " ", "-1", "+1", "1.5", "3 ", " 3", "3x", "Unbounded", "unbounded ",
                           "none", "9223372036854775808", "1e3"}) {
    INFO("'" << text << "'");
    CHECK_FALSE(from_text(text, untouched));
    CHECK(untouched.bound == 5);
  }
}

TEST_CASE("every staleness is of one of three kinds", "[staleness][L9]") {
  const Staleness rounds{0}, bounded{3}, unbounded{};
  CHECK(rounds.synchronous());
  CHECK_FALSE(rounds.bounded());
  CHECK(bounded.bounded());
  CHECK_FALSE(bounded.synchronous());
  CHECK_FALSE(unbounded.synchronous());
  CHECK_FALSE(unbounded.bounded());
  CHECK_FALSE(Staleness{-9}.bounded()); // from another node: no bound
}
