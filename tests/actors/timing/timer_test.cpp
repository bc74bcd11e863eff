#include "actors/timing/timer.hpp"
#include "messages/requests/error.hpp"
#include "tests/support/deterministic_system.hpp"

#include <caf/typed_event_based_actor.hpp>

using namespace troupe;
using namespace troupe::test;

namespace {

struct TimerStage {
  explicit TimerStage(double used = 0) : timer(world.keep(spawn_timer(world.system, used))) {}

  AlarmId set(double at, double every = 0) {
    const auto set = world.ask<AlarmSet>(timer, SetAlarm{at, every, listener});
    REQUIRE(set);
    return set->id;
  }
  double used() {
    const auto used = world.ask<UsedTime>(timer, GetUsedTime{});
    REQUIRE(used);
    return used->seconds;
  }

  DeterministicSystem world;
  Timer timer;
  std::vector<Alarm> rung;
  AlarmListener listener
    = world.spawn([this](AlarmListener::pointer) -> AlarmListener::behavior_type {
        return {[this](const Alarm& alarm) { rung.push_back(alarm); }};
      });
};

} // namespace

TEST_CASE("an alarm rings when it is due, and not a second before", "[timer][B54]") {
  TimerStage clock;
  const auto id = clock.set(3600);
  clock.world.pass(3599s, 60s);
  CHECK(clock.rung.empty());
  clock.world.advance(1s);
  REQUIRE(clock.rung.size() == 1);
  CHECK(clock.rung.front().id == id);
  CHECK(clock.rung.front().used == Approx(3600));
  clock.world.pass(1h, 1min);
  CHECK(clock.rung.size() == 1);
}

TEST_CASE("an alarm may ring repeatedly", "[timer][B54]") {
  TimerStage clock;
  clock.set(10, 60);
  clock.world.pass(200s, 1s);
  REQUIRE(clock.rung.size() == 4); // 10, 70, 130, 190
  CHECK(clock.rung.back().used == Approx(190));
  CHECK(clock.rung.back().times == 1);
}

TEST_CASE("an alarm that the clock jumped over counts what it missed", "[timer]") {
  TimerStage clock;
  clock.set(10, 10);
  clock.world.advance(45s);
  REQUIRE(clock.rung.size() == 1);
  CHECK(clock.rung.front().times == 4);
  clock.world.advance(5s);
  CHECK(clock.rung.back().times == 1);
}

TEST_CASE("an alarm in the past rings at once", "[timer]") {
  TimerStage clock;
  clock.world.advance(100s);
  clock.set(50);
  clock.world.advance(0s);
  CHECK(clock.rung.size() == 1);
}

TEST_CASE("a cancelled alarm is silent", "[timer]") {
  TimerStage clock;
  const auto id = clock.set(10, 10);
  clock.world.advance(10s);
  clock.world.self->send(clock.timer, CancelAlarm{id});
  clock.world.pass(1h, 1min);
  CHECK(clock.rung.size() == 1);
}

TEST_CASE("cancelled alarms leave nothing in the system's clock", "[timer]") {
  TimerStage clock;
  const auto timers = clock.world.timers();
  for (int i = 0; i < 100; ++i) {
    clock.world.self->send(clock.timer, CancelAlarm{clock.set(3600 + i)});
    clock.world.advance(1s);
  }
  CHECK(clock.world.timers() <= timers + 1);
  clock.set(5000);
  clock.world.pass(5000s - 100s, 100s);
  CHECK(clock.rung.size() == 1);
}

TEST_CASE("an alarm that is due before all others does not wait for them", "[timer]") {
  TimerStage clock;
  const auto late = clock.set(100), soon = clock.set(10), between = clock.set(50);
  clock.world.pass(99s, 1s);
  REQUIRE(clock.rung.size() == 2);
  CHECK(clock.rung[0].id == soon);
  CHECK(clock.rung[0].used == Approx(10));
  CHECK(clock.rung[1].id == between);
  CHECK(clock.rung[1].used == Approx(50));
  clock.world.advance(1s);
  REQUIRE(clock.rung.size() == 3);
  CHECK(clock.rung[2].id == late);
}

TEST_CASE("short alarms do not pile up while a long one waits", "[timer]") {
  TimerStage clock;
  const auto timers = clock.world.timers();
  clock.set(3600);
  clock.set(1, 1);
  clock.world.pass(100s, 1s);
  CHECK(clock.rung.size() == 100);
  CHECK(clock.world.timers() <= timers + 2);
}

TEST_CASE("used time includes that of earlier runs", "[timer][L20]") {
  TimerStage clock{1000};
  CHECK(clock.used() == Approx(1000));
  clock.set(1010);
  clock.world.advance(9s);
  CHECK(clock.rung.empty());
  clock.world.advance(1s);
  CHECK(clock.rung.size() == 1);
  CHECK(clock.used() == Approx(1010));
}

TEST_CASE("an alarm may be further away than any clock counts", "[timer]") {
  TimerStage clock;
  clock.set(1e30);
  clock.world.pass(24h, 1h);
  CHECK(clock.rung.empty());
}

TEST_CASE("an alarm beyond the timer's longest wait rings when it is due", "[timer][B54]") {
  TimerStage clock;
  clock.set(2'500'000); // the timer wakes up every 1'000'000 s
  clock.world.pass(2'499'999s, 100'000s);
  CHECK(clock.rung.empty());
  clock.world.advance(1s);
  REQUIRE(clock.rung.size() == 1);
  CHECK(clock.rung.front().used == Approx(2'500'000));
}

TEST_CASE("an invalid alarm is refused", "[timer]") {
  TimerStage clock;
  const auto refused
    = clock.world.ask<AlarmSet>(clock.timer, SetAlarm{std::nan(""), 0, clock.listener});
  REQUIRE_FALSE(refused);
  CHECK(refused.error() == Error::invalid_options);
}

TEST_CASE("a timer does not start from an invalid time", "[timer]") {
  DeterministicSystem world;
  for (const auto used : {std::nan(""), HUGE_VAL, -1.0})
    CHECK_THROWS_WITH(spawn_timer(world.system, used), Catch::Contains("a timer's used time is"));
  // cure: s; give the seconds of earlier runs, 0 or more
  CHECK_NOTHROW(world.keep(spawn_timer(world.system, 0)));
}
