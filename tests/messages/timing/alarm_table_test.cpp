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
  AlarmTable table;
};

} // namespace

TEST_CASE("an alarm rings once, when it is due", "[alarm_table]") {
  Alarms alarms;
  auto& table = alarms.table;
  const auto id = table.set({10, 0, alarms.listener}, 0);
  CHECK(*table.next_due() == 10);
  CHECK_FALSE(table.ring(9.9));
  const auto ring = table.ring(10);
  REQUIRE(ring);
  CHECK(ring->alarm == Alarm{id, 1, 10});
  CHECK_FALSE(table.ring(20));
  CHECK_FALSE(table.next_due());
}

TEST_CASE("an alarm in the past is due at once", "[alarm_table]") {
  Alarms alarms;
  alarms.table.set({3, 0, alarms.listener}, 5);
  CHECK(*alarms.table.next_due() == 5);
  CHECK(alarms.table.ring(5));
}

TEST_CASE("a repeated alarm does not count times before it was set", "[alarm_table]") {
  Alarms alarms;
  alarms.table.set({1, 2, alarms.listener}, 10);
  CHECK(alarms.table.ring(10)->alarm.times == 1);
  CHECK(*alarms.table.next_due() == 12);
}

TEST_CASE("a repeated alarm counts how often it was due since it rang", "[alarm_table]") {
  Alarms alarms;
  auto& table = alarms.table;
  table.set({1, 2, alarms.listener}, 0);
  CHECK(table.ring(1)->alarm.times == 1);
  CHECK_FALSE(table.ring(2.5));
  CHECK(table.ring(8)->alarm.times == 3); // 3, 5, 7
  CHECK(*table.next_due() == 9);
}

TEST_CASE("a repeated alarm does not drift", "[alarm_table]") {
  Alarms alarms;
  alarms.table.set({0.1, 0.1, alarms.listener}, 0);
  std::uint64_t rung = 0;
  for (auto i = 1; i <= 10'000; ++i)
    if (auto ring = alarms.table.ring(i * 0.07))
      rung += ring->alarm.times;
  CHECK(rung == 7000);
}

TEST_CASE("a cancelled alarm is removed", "[alarm_table]") {
  Alarms alarms;
  const auto id = alarms.table.set({1, 0, alarms.listener}, 0);
  alarms.table.cancel(id);
  alarms.table.cancel(id);
  CHECK_FALSE(alarms.table.next_due());
  CHECK_FALSE(alarms.table.ring(2));
}

TEST_CASE("alarms have unique ids", "[alarm_table]") {
  Alarms alarms;
  const auto first = alarms.table.set({1, 0, alarms.listener}, 0);
  const auto second = alarms.table.set({1, 0, alarms.listener}, 0);
  CHECK(first != second);
  CHECK(alarms.table.ring(1)->alarm.id == first);
  CHECK(alarms.table.ring(1)->alarm.id == second);
}

TEST_CASE("the next alarm rings first, in any order of setting", "[alarm_table]") {
  Alarms alarms;
  auto& table = alarms.table;
  const auto late = table.set({20, 0, alarms.listener}, 0);
  const auto cancelled = table.set({5, 0, alarms.listener}, 0);
  const auto soon = table.set({10, 0, alarms.listener}, 0);
  table.cancel(cancelled);
  CHECK(*table.next_due() == 10);
  CHECK(table.ring(30)->alarm.id == soon);
  CHECK(table.ring(30)->alarm.id == late);
  CHECK_FALSE(table.ring(30));
}

TEST_CASE("invalid times are refused", "[alarm_table]") {
  Alarms alarms;
  auto& table = alarms.table;
  const auto infinite = std::numeric_limits<double>::infinity();
  CHECK_THROWS_AS(table.set({std::nan(""), 0, alarms.listener}, 0), std::invalid_argument);
  CHECK_THROWS_AS(table.set({infinite, 0, alarms.listener}, 0), std::invalid_argument);
  CHECK_THROWS_AS(table.set({1, -1, alarms.listener}, 0), std::invalid_argument);
  CHECK_THROWS_AS(table.set({1, infinite, alarms.listener}, 0), std::invalid_argument);
  CHECK_THROWS_AS(table.set({1, 1e-300, alarms.listener}, 0), std::invalid_argument);
  // cure: s; give finite times, and a period of 0 or at least 1 ms
  CHECK_NOTHROW(table.set({1, 0, alarms.listener}, 0));
  CHECK_NOTHROW(table.set({1, 0.001, alarms.listener}, 0));
  CHECK_THROWS_WITH(table.set({1, 0, {}}, 0), Catch::Contains("listener"));
}
