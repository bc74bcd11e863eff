#include "messages/cluster/shard_link.hpp"

#include <catch2/catch.hpp>

using namespace troupe;

namespace {

constexpr double lease = 1; // seconds

/// Connected, with the worker as a member.
ShardLink usable_link(const Joined& answer = {.incarnation = 1}) {
  ShardLink link;
  link.begin_to_connect();
  link.connected({});
  link.begin_to_join();
  link.joined(answer);
  return link;
}

} // namespace

TEST_CASE("a link connects first, then joins, then renews", "[shard_link]") {
  ShardLink link;
  CHECK(link.due(0, lease) == ShardLink::Due::connect);
  CHECK(link.begin_to_connect());
  CHECK_FALSE(link.begin_to_connect()); // only one attempt at a time
  link.connected({});
  CHECK_FALSE(link.is_usable());
  CHECK(link.due(0, lease) == ShardLink::Due::join);
  CHECK(link.begin_to_join());
  CHECK_FALSE(link.begin_to_join());
  CHECK_FALSE(link.begin_to_renew()); // not a member yet
  link.joined({.incarnation = 4});
  CHECK(link.is_usable());
  CHECK(link.incarnation() == 4);
  CHECK(link.due(0, lease) == ShardLink::Due::renew);
  CHECK(link.begin_to_renew());
  CHECK_FALSE(link.begin_to_renew());
}

TEST_CASE("a link renews once in a lease", "[shard_link]") {
  auto link = usable_link();
  CHECK(link.due(10, lease) == ShardLink::Due::renew);
  CHECK(link.due(10.9, lease) == ShardLink::Due::nothing);
  CHECK(link.due(11, lease) == ShardLink::Due::renew);
}

TEST_CASE("a link backs off if it cannot connect", "[shard_link]") {
  ShardLink link;
  link.begin_to_connect();
  link.not_connected("refused", 10);
  CHECK(link.last_error() == "refused");
  CHECK(link.due(10.05, lease) != ShardLink::Due::connect);
  CHECK(link.due(10.1, lease) == ShardLink::Due::connect);
  link.begin_to_connect();
  link.not_connected("refused", 10.1);
  CHECK(link.due(10.25, lease) != ShardLink::Due::connect); // twice as long
}

TEST_CASE("a lost link connects again at once, and is still a member", "[shard_link]") {
  auto link = usable_link();
  CHECK(link.lose("it broke", 5));
  CHECK_FALSE(link.lose("it broke", 5)); // already lost
  CHECK_FALSE(link.is_usable());
  CHECK(link.route() == nullptr);
  CHECK(link.due(5, lease) == ShardLink::Due::connect);
  link.begin_to_connect();
  link.connected({});
  CHECK(link.is_usable());
}

TEST_CASE("a link is lost after two renewals in a row without an answer", "[shard_link]") {
  auto link = usable_link();
  link.begin_to_renew();
  CHECK_FALSE(link.renewal_unanswered());
  link.begin_to_renew();
  link.renewed(7); // an answer in between
  link.begin_to_renew();
  CHECK_FALSE(link.renewal_unanswered());
  CHECK(link.begin_to_renew());
  CHECK(link.renewal_unanswered());
}

TEST_CASE("a refused renewal counts only for the present incarnation", "[shard_link]") {
  auto link = usable_link({.incarnation = 2});
  CHECK_FALSE(link.renewal_refused(1));
  CHECK(link.renewal_refused(2));
}

TEST_CASE("versions are lost if the holder restarts at an older one than it reported",
          "[shard_link]") {
  auto link = usable_link({.incarnation = 1, .created = true, .version = 5});
  link.set_seen(12);
  CHECK(link.joined({.incarnation = 2, .created = true, .version = 12}) == 0); // it did not restart
  SECTION("with the same state") {
    CHECK(link.joined({.incarnation = 1, .created = true, .version = 9, .restored = 9}) == 3);
  }
  SECTION("and others have pushed to it since") {
    CHECK(link.joined({.incarnation = 1, .created = true, .version = 20, .restored = 9}) == 3);
  }
  SECTION("without parameters: nothing to report") { CHECK(link.joined({.incarnation = 1}) == 0); }
}

TEST_CASE("for a new training a link forgets the versions it has seen", "[shard_link]") {
  auto link = usable_link({.incarnation = 1, .created = true, .version = 12});
  link.reset();
  CHECK_FALSE(link.is_usable());
  CHECK(link.joined({.incarnation = 2, .created = true, .version = 3, .restored = 3}) == 0);
}

TEST_CASE("a refusal is reported once", "[shard_link]") {
  auto link = usable_link();
  CHECK(link.refused("another model"));
  CHECK_FALSE(link.refused("another model"));
  CHECK(link.refused("another protocol"));
}
