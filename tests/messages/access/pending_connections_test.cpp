#include "messages/access/pending_connections.hpp"

#include <catch2/catch.hpp>

#include <set>

using namespace troupe;
using namespace std::chrono_literals;

namespace {

const PendingConnections::Time first_arrival{100s};

PendingLimits few(std::size_t total, std::size_t per_address) {
  PendingLimits limits;
  limits.total = total;
  limits.per_address = per_address;
  return limits;
}

} // namespace

TEST_CASE("a connection without authentication is overdue at its deadline, and only once",
          "[pending_connections]") {
  PendingConnections pending{PendingLimits{}};
  pending.add(1, "a", first_arrival);
  pending.add(2, "a", first_arrival + 1s);
  pending.add(3, "b", first_arrival + 2s);
  pending.remove(2);
  CHECK(pending.next_deadline() == first_arrival + 5s);
  CHECK(pending.overdue(first_arrival + 5s - 1ms).empty());
  CHECK(pending.overdue(first_arrival + 5s) == std::vector<PendingConnections::Id>{1});
  CHECK(pending.next_deadline() == first_arrival + 7s);
  CHECK(pending.overdue(first_arrival + 60s) == std::vector<PendingConnections::Id>{3});
  CHECK(pending.overdue(first_arrival + 60s).empty());
  CHECK_FALSE(pending.next_deadline());
}

TEST_CASE("an address with too many connections loses its oldest, and others lose none",
          "[pending_connections]") {
  PendingConnections pending{few(100, 2)};
  CHECK_FALSE(pending.add(1, "other", first_arrival));
  CHECK_FALSE(pending.add(2, "a", first_arrival));
  CHECK_FALSE(pending.add(3, "a", first_arrival));
  CHECK(pending.add(4, "a", first_arrival) == 2u);
  CHECK(pending.add(5, "a", first_arrival) == 3u);
  CHECK(pending.size() == 3);
  CHECK(pending.oldest() == 1u);
}

TEST_CASE("if there are too many in total, the address with the most loses its oldest",
          "[pending_connections]") {
  PendingConnections pending{few(4, 3)};
  pending.add(1, "quiet", first_arrival);
  for (PendingConnections::Id id = 2; id <= 4; ++id)
    CHECK_FALSE(pending.add(id, "loud", first_arrival));
  CHECK(pending.add(5, "newcomer", first_arrival) == 2u);
  CHECK(pending.size() == 4);
}

TEST_CASE("a new connection is kept beside any number of idle connections of its own address",
          "[pending_connections]") {
  PendingConnections pending{PendingLimits{}};
  PendingConnections::Id id = 0;
  for (auto i = 0; i < 10'000; ++i)
    pending.add(++id, "a", first_arrival);
  const auto newcomer = ++id;
  CHECK(pending.add(newcomer, "a", first_arrival) != newcomer);
  for (auto i = 0; i < 100; ++i)
    CHECK(pending.add(++id, "a", first_arrival) != newcomer);
  CHECK(pending.size() == PendingLimits{}.per_address);
}
