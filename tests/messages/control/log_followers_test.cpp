#include "messages/control/log_followers.hpp"

#include <catch2/catch.hpp>

using namespace troupe;

TEST_CASE("a log's end waits for followers until they have seen it or ask no more",
          "[log_followers]") {
  LogFollowers followers;
  CHECK_FALSE(followers.any_left(0));
  CHECK(followers.asked({{}, 1}, 0));
  CHECK_FALSE(followers.asked({{}, 1}, 0.5));
  CHECK(followers.asked({{}, 2}, 0.5)); // another one of the same node
  followers.saw_end({{}, 1});
  CHECK(followers.any_left(1.5));
  CHECK_FALSE(followers.any_left(1.6));
}

TEST_CASE("all followers of a node have gone when its connection ends", "[log_followers]") {
  LogFollowers followers;
  followers.asked({{}, 1}, 0);
  followers.asked({{}, 2}, 0);
  followers.ended({});
  CHECK_FALSE(followers.any_left(0));
}
