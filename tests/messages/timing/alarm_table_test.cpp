#include "messages/timing/alarm_table.hpp"
#include "tests/support/deterministic_system.hpp"

#include <caf/typed_event_based_actor.hpp>

#include <limits>

using namespace troupe;
using namespace troupe::test;

namespace {

struct Alarms {
  DeterministicSystem world;
  AlarmListener listener = world.spawn(
    [](AlarmListener::pointer) -> AlarmListener::behavior_type { return {[](const Alarm&) {}}; });
  AlarmTable book;
};

} // namespace

TEST_CASE("an alarm rings once, when it is due", "[alarm_book]") {
  Alarms alarms;
  auto& book = alarms.book;
  const auto id = book.set({10, 0, alarms.listener}, 0);
  CHECK(*book.next_due() == 10);
  CHECK_FALSE(book.ring(9.9));
  const auto ring = book.ring(10);
  REQUIRE(ring);
  CHECK(ring->alarm == Alarm{id, 1, 10});
  CHECK_FALSE(book.ring(20));
  CHECK_FALSE(book.next_due());
}

TEST_CASE("an alarm in the past is due at once", "[alarm_book]") {
  Alarms alarms;
  alarms.book.set({3, 0, alarms.listener}, 5);
  CHECK(*alarms.book.next_due() == 5);
  CHECK(alarms.book.ring(5));
}

TEST_CASE("a repeated alarm does not count what was before it was set", "[alarm_book]") {
  Alarms alarms;
  alarms.book.set({1, 2, alarms.listener}, 10);
  CHECK(alarms.book.ring(10)->alarm.times == 1);
  CHECK(*alarms.book.next_due() == 12);
}

TEST_CASE("a repeated alarm counts how often it was due since it rang", "[alarm_book]") {
  Alarms alarms;
  auto& book = alarms.book;
  book.set({1, 2, alarms.listener}, 0);
  CHECK(book.ring(1)->alarm.times == 1);
  CHECK_FALSE(book.ring(2.5));
  CHECK(book.ring(8)->alarm.times == 3); // 3, 5, 7
  CHECK(*book.next_due() == 9);
}

TEST_CASE("a repeated alarm does not drift", "[alarm_book]") {
  Alarms alarms;
  alarms.book.set({0.1, 0.1, alarms.listener}, 0);
  std::uint64_t rung = 0;
  for (auto i = 1; i <= 10'000; ++i)
    if (auto ring = alarms.book.ring(i * 0.07))
      rung += ring->alarm.times;
  CHECK(rung == 7000);
}

TEST_CASE("a cancelled alarm is gone", "[alarm_book]") {
  Alarms alarms;
  const auto id = alarms.book.set({1, 0, alarms.listener}, 0);
  alarms.book.cancel(id);
  alarms.book.cancel(id);
  CHECK_FALSE(alarms.book.next_due());
  CHECK_FALSE(alarms.book.ring(2));
}

TEST_CASE("alarms have numbers of their own", "[alarm_book]") {
  Alarms alarms;
  const auto first = alarms.book.set({1, 0, alarms.listener}, 0);
  const auto second = alarms.book.set({1, 0, alarms.listener}, 0);
  CHECK(first != second);
  CHECK(alarms.book.ring(1)->alarm.id == first);
  CHECK(alarms.book.ring(1)->alarm.id == second);
}

TEST_CASE("the nearest alarm rings first, whichever was set first", "[alarm_book]") {
  Alarms alarms;
  auto& book = alarms.book;
  const auto late = book.set({20, 0, alarms.listener}, 0);
  const auto cancelled = book.set({5, 0, alarms.listener}, 0);
  const auto soon = book.set({10, 0, alarms.listener}, 0);
  book.cancel(cancelled);
  CHECK(*book.next_due() == 10);
  CHECK(book.ring(30)->alarm.id == soon);
  CHECK(book.ring(30)->alarm.id == late);
  CHECK_FALSE(book.ring(30));
}

TEST_CASE("times that cannot be are refused", "[alarm_book]") {
  Alarms alarms;
  auto& book = alarms.book;
  const auto infinite = std::numeric_limits<double>::infinity();
  CHECK_THROWS_AS(book.set({std::nan(""), 0, alarms.listener}, 0), std::invalid_argument);
  CHECK_THROWS_AS(book.set({infinite, 0, alarms.listener}, 0), std::invalid_argument);
  CHECK_THROWS_AS(book.set({1, -1, alarms.listener}, 0), std::invalid_argument);
  CHECK_THROWS_AS(book.set({1, infinite, alarms.listener}, 0), std::invalid_argument);
  CHECK_THROWS_AS(book.set({1, 1e-300, alarms.listener}, 0), std::invalid_argument);
  CHECK_THROWS_WITH(book.set({1, 0, {}}, 0), Catch::Contains("listener"));
}
