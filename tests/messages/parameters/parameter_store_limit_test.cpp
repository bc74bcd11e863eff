// ParameterStoreOptions::pushes_per_second.
#include "messages/wire/type_ids.hpp"
#include "tests/support/round_store.hpp"

#include <cmath>

using namespace troupe;
using namespace troupe::test;

namespace {

/// Two workers that may push once in two seconds, both together.
struct LimitedStore : RoundStore {
  LimitedStore() : RoundStore(2, {0}, 0, {.cluster = "", .pushes_per_second = 0.5}) {}
};

} // namespace

TEST_CASE("a round is completed no sooner than the limit of pushes allows", "[rounds][L9]") {
  LimitedStore shared;
  const auto round_at = [&](double now) {
    for (WorkerId worker = 0; worker < 2; ++worker)
      CHECK(shared.waits(shared.next(worker, {1}), now));
    return shared.store.settle(now);
  };
  const auto first = round_at(10);
  REQUIRE(workers_of(first) == std::vector<WorkerId>{0, 1});
  CHECK(first.front().parameters.not_before == 0); // the round itself waits
  CHECK(round_at(11).empty());
  CHECK(shared.store.next_round(11) == 3);
  CHECK(shared.store.settle(13.9).empty());
  CHECK(workers_of(shared.store.settle(14)) == std::vector<WorkerId>{0, 1});
  CHECK(shared.waits(shared.next(0, {1}), 14));
  CHECK(std::isinf(shared.store.next_round(14))); // it waits for worker 1
}

TEST_CASE("a worker that was held, or pushes again, has to pause under a limit of pushes",
          "[staleness][L9]") {
  LimitedStore shared;
  const Staleness near{1};
  CHECK_FALSE(shared.waits(shared.next(0, {1}, near)));
  CHECK(shared.waits(shared.next(0, {1}, near)));
  const auto last = shared.next(1, {1}, near);
  CHECK_FALSE(shared.waits(last));
  const auto released = shared.store.settle();
  REQUIRE(workers_of(released) == std::vector<WorkerId>{0});
  CHECK(released.front().parameters.not_before == 6); // three pushes, two seconds each
  const auto again = shared.store.exchange(last, 1).answer;
  REQUIRE(again);
  CHECK(again->not_before == 5);
}

TEST_CASE("under a limit of pushes each worker pauses for as many as train", "[staleness][L9]") {
  LimitedStore shared;
  const auto pushed = shared.store.exchange(shared.next(0, {1}, Staleness{1}), 0).answer;
  REQUIRE(pushed);
  CHECK(pushed->not_before == 4); // two workers, two seconds each
}

TEST_CASE("a repeated push of a round need not pause", "[rounds][L9]") {
  LimitedStore shared;
  const auto push = shared.next(0, {1});
  CHECK(shared.waits(push));
  CHECK(shared.waits(shared.next(1, {1})));
  REQUIRE(shared.store.settle().size() == 2);
  const auto again = shared.store.exchange(push, 1).answer;
  REQUIRE(again);
  CHECK(again->not_before == 0); // the next round itself waits
}
