#include "messages/schedule/due.hpp"
#include "tests/support/rounds.hpp"

#include <catch2/catch.hpp>

#include <algorithm>
#include <array>
#include <chrono>
#include <cmath>
#include <iostream>
#include <map>
#include <random>

using namespace troupe;
using Catch::Contains;

namespace {

Position batch(Step n) {
  Position p;
  p.batches = n;
  return p;
}

Position second(double t) {
  Position p;
  p.seconds = t;
  return p;
}

/// Steps through `positions` like a loop, and returns the indices at which the schedule is due.
std::vector<std::size_t> due_at(const Schedule& schedule, const std::vector<Position>& positions) {
  Due due{schedule, Position{}};
  std::vector<std::size_t> result;
  for (std::size_t i = 0; i < positions.size(); ++i)
    if (due.possible(positions[i]) && due.advance(positions[i]) > 0)
      result.push_back(i);
  return result;
}

/// The batches 0 .. last at which the schedule is due, checked after each.
std::vector<std::size_t> due_batches(const Schedule& schedule, Step last) {
  std::vector<Position> positions;
  for (Step n = 0; n <= last; ++n)
    positions.push_back(batch(n));
  return due_at(schedule, positions);
}

using Indices = std::vector<std::size_t>;

/// Membership by definition, one whole number at a time. 0 stands for a time that no leaf contains.
bool contains(const Schedule& s, std::uint64_t t) {
  const auto& parts = s.parts();
  auto part_contains = [t](const Schedule& part) { return contains(part, t); };
  switch (s.kind()) {
  case Schedule::Kind::never: return false;
  case Schedule::Kind::always: return true;
  case Schedule::Kind::each: return t != 0 && t % static_cast<std::uint64_t>(s.period()) == 0;
  case Schedule::Kind::at: return std::count(s.times().begin(), s.times().end(), t) > 0;
  case Schedule::Kind::all: return std::all_of(parts.begin(), parts.end(), part_contains);
  case Schedule::Kind::any: return std::any_of(parts.begin(), parts.end(), part_contains);
  case Schedule::Kind::complement: return !contains(parts.front(), t);
  }
  return false;
}

/// @param scale 0: on batches; otherwise the same times, `scale` seconds apart.
Schedule random_set(std::mt19937& random, int depth, double scale = 0) {
  auto below = [&](unsigned n) { return static_cast<int>(random() % n); };
  auto on = [&](std::vector<double> times, bool periodic) {
    for (auto& t : times)
      t = scale == 0 ? t : t * scale;
    const auto set = periodic ? each(times[0]) : at(times);
    return scale == 0 ? set.batches() : set.seconds();
  };
  if (depth == 0 || below(4) == 0) {
    if (below(2) == 0)
      return on({1.0 + below(12)}, true);
    std::vector<double> times;
    for (int i = 0; i <= below(5); ++i)
      times.push_back(1.0 + below(60));
    return on(times, false);
  }
  const auto a = random_set(random, depth - 1, scale);
  switch (below(3)) {
  case 0: return a & random_set(random, depth - 1, scale);
  case 1: return a | random_set(random, depth - 1, scale);
  default: return ~a;
  }
}

/// A set on one of the timelines of counts, or a mixture of them.
Schedule random_mixture(std::mt19937& random, int depth) {
  if (depth == 0) {
    const std::array<std::string, 3> timelines{"batches", "epochs", "examples"};
    const auto time = 1.0 + static_cast<double>(random() % 8);
    return (random() % 3 == 0 ? at(time, time + 3) : each(time)).on(timelines[random() % 3]);
  }
  const auto a = random_mixture(random, depth - 1);
  switch (random() % 3) {
  case 0: return a & random_mixture(random, depth - 1);
  case 1: return a | random_mixture(random, depth - 1);
  default: return ~a;
  }
}

bool due_by_hand(const Schedule& s, const Position& last, const Position& now);

/// Whether a set on one timeline contains one of the times that have passed; for a set that
/// contains all but some, whether none of these has.
bool set_due_by_hand(const Schedule& set, const Position& last, const Position& now) {
  const auto timeline = timelines_of(set).front();
  const auto all_but_some = contains(set, 0);
  for (auto t = static_cast<std::uint64_t>(time_on(last, timeline)) + 1;
       t <= static_cast<std::uint64_t>(time_on(now, timeline)); ++t)
    if (contains(set, t) != all_but_some)
      return !all_but_some;
  return all_but_some;
}

/// The operators between timelines as at the top of schedule.hpp.
bool due_by_hand(const Schedule& s, const Position& last, const Position& now) {
  if (timelines_of(s).empty())
    return s.kind() == Schedule::Kind::always;
  if (timelines_of(s).size() == 1)
    return set_due_by_hand(s, last, now);
  if (s.kind() == Schedule::Kind::complement)
    return !due_by_hand(s.parts().front(), last, now);
  std::vector<bool> facts;
  std::map<std::string, std::vector<Schedule>> alike;
  for (const auto& part : s.parts())
    if (timelines_of(part).size() == 1)
      alike[timelines_of(part).front()].push_back(part);
    else
      facts.push_back(due_by_hand(part, last, now));
  for (const auto& [timeline, parts] : alike)
    facts.push_back(due_by_hand(Schedule::combine(s.kind(), parts), last, now));
  const auto is_true = [](bool fact) { return fact; };
  return s.kind() == Schedule::Kind::all ? std::all_of(facts.begin(), facts.end(), is_true)
                                         : std::any_of(facts.begin(), facts.end(), is_true);
}

} // namespace

TEST_CASE("each(n) is due at the multiples of n, and not at 0", "[due][P2]") {
  CHECK(due_batches(each(10), 30) == Indices{10, 20, 30});
  CHECK(due_batches(each(1), 3) == Indices{1, 2, 3});
}

TEST_CASE("at is due at the listed times, once each", "[due][P3]") {
  CHECK(due_batches(at(17, 153, 17), 300) == Indices{17, 153});
}

TEST_CASE("a batch that spans a multiple is due, however many it spans", "[due][P4]") {
  std::vector<Position> batches_of_32(9), batches_of_120(4);
  for (std::size_t i = 0; i < batches_of_32.size(); ++i)
    batches_of_32[i].examples = 32 * i;
  for (std::size_t i = 0; i < batches_of_120.size(); ++i)
    batches_of_120[i].examples = 120 * i;
  CHECK(due_at(each(50).examples(), batches_of_32) == Indices{2, 4, 5, 7, 8});
  CHECK(due_at(each(50).examples(), batches_of_120) == Indices{1, 2, 3});
  Due due{each(50).examples(), Position{}};
  CHECK(due.advance(batches_of_120[1]) == 2);
  CHECK(due.advance(batches_of_120[2]) == 2);
  CHECK(due.advance(batches_of_120[3]) == 3);
}

TEST_CASE("a smaller last batch counts with its size", "[due][P8]") {
  std::vector<Position> positions;
  std::uint64_t examples = 0;
  for (auto size : {32, 32, 32, 4, 32, 32, 32, 4}) {
    positions.push_back(
      {.examples = examples += static_cast<std::uint64_t>(size), .timelines = {}});
  }
  CHECK(due_at(each(100).examples(), positions) == Indices{3, 7});
}

TEST_CASE("each 10, except at 20 and 30", "[due][P5]") {
  CHECK(due_batches(each(10) & ~at(20, 30), 55) == Indices{10, 40, 50});
}

TEST_CASE("the operators are set operators: a wide range meets what is left", "[due][P5]") {
  Due ten{each(10) & ~at(20), Position{}};
  CHECK(ten.advance(batch(25)) == 1); // 10
  Due none{each(10) & ~at(10, 20), Position{}};
  CHECK(none.advance(batch(29)) == 0);
  Due both{each(4) & each(6), Position{}};
  CHECK(both.advance(batch(36)) == 3); // 12, 24, 36
  Due either{each(4) | each(6), Position{}};
  CHECK(either.advance(batch(12)) == 4); // 4, 6, 8, 12
}

TEST_CASE("a complement on a counting timeline contains every other number", "[due][P5]") {
  CHECK(due_batches(~each(3), 7) == Indices{1, 2, 4, 5, 7});
  Due due{~at(2, 4), Position{}};
  CHECK(due.advance(batch(10)) == 8);
  CHECK(due.advance(batch(10)) == 0);
}

TEST_CASE("a complement on a real timeline meets every range that is not empty", "[due][P5]") {
  Due due{~each(1).seconds(), Position{}};
  CHECK(due.advance(second(0)) == 0);
  CHECK(due.advance(second(1)) == 1);
  CHECK(due.advance(second(1)) == 0);
  CHECK(due.advance(second(500)) == 1);
}

TEST_CASE("nothing is due twice at the border of two ranges", "[due][P6]") {
  Due due{each(10), Position{}};
  CHECK(due.advance(batch(10)) == 1);
  CHECK(due.advance(batch(10)) == 0);
  CHECK(due.advance(batch(20)) == 1);
  CHECK(due.advance(batch(29)) == 0);
}

TEST_CASE("consecutive ranges count as one range over all of them", "[due][P6]") {
  std::mt19937 random{4};
  for (int i = 0; i < 300; ++i) {
    const auto set = i % 2 == 0 ? random_set(random, 4) : random_set(random, 4, 0.1);
    const bool real = i % 2 == 1;
    Due pieces{set, Position{}}, whole{set, Position{}};
    std::uint64_t sum = 0, ranges = 0;
    Position now;
    for (int k = 0; k < 50; ++k) {
      now.batches += random() % 5;
      now.seconds += 0.037 * static_cast<double>(random() % 10);
      if (pieces.possible(now))
        sum += pieces.advance(now);
      ++ranges;
    }
    const auto total = whole.advance(now);
    INFO(to_string(set));
    CHECK((sum == total || (real && total == 1 && sum <= ranges)));
  }
}

TEST_CASE("a schedule is due as counting by hand says, for any sequence of ranges",
          "[due][P2][P3][P5][P6]") {
  std::mt19937 random{5};
  for (int i = 0; i < test::rounds(3000); ++i) {
    const auto set = random_set(random, 5);
    const auto text = to_string(set);
    std::uint64_t last = random() % 20;
    Due due{set, batch(last)};
    for (int k = 0; k < 30; ++k) {
      const auto now = last + (k % 7 == 0 ? random() % 60 : random() % 4);
      std::uint64_t expected = 0;
      for (auto t = last + 1; t <= now; ++t)
        expected += contains(set, t) ? 1 : 0;
      INFO(text << " in (" << last << ", " << now << "]");
      if (due.exhausted())
        REQUIRE(expected == 0);
      if (!due.possible(batch(now))) {
        REQUIRE(expected == 0);
        continue; // `last` stays: the next range begins where the last evaluated one ended
      }
      REQUIRE(due.advance(batch(now)) == expected);
      last = now;
    }
  }
}

TEST_CASE("on a real timeline tenths behave as counting by hand says", "[due][P2][P5][P9]") {
  std::mt19937 random{6};
  for (int i = 0; i < test::rounds(2000); ++i) {
    const auto seed = random();
    std::mt19937 a{seed}, b{seed};
    const auto counted = random_set(a, 3), set = random_set(b, 3, 0.1);
    const auto text = to_string(set);
    const bool dense = contains(counted, 0);
    std::uint64_t last = 0;
    Due due{set, Position{}};
    for (int k = 0; k < 30; ++k) {
      const auto now = last + random() % 5;
      std::uint64_t expected = 0;
      for (auto t = last + 1; t <= now; ++t)
        expected += contains(counted, t) ? 1 : 0;
      if (dense)
        expected = now > last ? 1 : 0;
      INFO(text << " in (" << last << ", " << now << "] tenths");
      const auto p = second(static_cast<double>(now) / 10);
      if (!due.possible(p)) {
        REQUIRE(expected == 0);
        continue;
      }
      REQUIRE(due.advance(p) == expected);
      last = now;
    }
  }
}

TEST_CASE("wide ranges and short periods are counted without stepping through them", "[due][P2]") {
  Due tiny{(each(1e-6).seconds() | each(1e-3).seconds()) & ~at(3).seconds(), Position{}};
  CHECK(tiny.advance(second(1e6)) == 999999999999);
  Due wide{(each(2) | each(3)) & ~each(6), Position{}};
  CHECK(wide.advance(batch(6000000000000000)) == 3000000000000000);
  Due smallest{at(5e-324).seconds(), Position{}};
  CHECK(smallest.advance(second(0)) == 0);
  CHECK(smallest.advance(second(1e-3)) == 1);
  CHECK(smallest.exhausted());
}

TEST_CASE("multiples do not drift", "[due][P2][P9]") {
  Due due{each(0.1).seconds(), Position{}};
  for (int k = 1; k <= 1000000; ++k)
    if (due.advance(second(k / 10.0)) != 1)
      FAIL("multiple " << k);
  Due thirds{each(1.0 / 3).seconds(), Position{}};
  CHECK(thirds.advance(second(100000)) == 300000);
}

TEST_CASE("batches longer than the period are due once per batch, with the count",
          "[due][P4][P9]") {
  Due due{each(1).seconds(), Position{}};
  CHECK(due.advance(second(0.9)) == 0);
  CHECK(due.advance(second(5.5)) == 5); // a slow step: one firing, no backlog
  CHECK(due.advance(second(5.9)) == 0);
  CHECK(due.advance(second(6.0)) == 1);
}

TEST_CASE("real time is due at the first boundary not before it", "[due][P9]") {
  std::vector<Position> steps;
  double clock = 0;
  for (int i = 0; i < 11; ++i, clock += 0.4)
    steps.push_back(second(clock));
  CHECK(due_at(each(1).seconds(), steps) == Indices{3, 5, 8, 10}); // 1.2, 2.0, 3.2, 4.0
}

TEST_CASE("time outside the steps does not advance training_seconds", "[due][P10]") {
  std::vector<Position> steps;
  for (int i = 0; i < 7; ++i)
    steps.push_back({.seconds = 100.0 * i, .training_seconds = 0.5 * i, .timelines = {}});
  CHECK(due_at(each(1).training_seconds(), steps) == Indices{2, 4, 6});
}

TEST_CASE("a registered timeline is counted, an unknown one rejected", "[due][P14]") {
  Position p;
  p.timelines["tokens"] = 0;
  Due due{each(1000).on("tokens"), p};
  p.timelines["tokens"] = 999;
  CHECK_FALSE(due.possible(p));
  p.timelines["tokens"] = 2500;
  CHECK(due.possible(p));
  CHECK(due.advance(p) == 2);
  CHECK_THROWS_WITH((Due{each(1000).on("token"), p}), Contains("did you mean 'tokens'?"));
  CHECK_FALSE(due.possible(Position{})); // it stopped: no progress
  CHECK(due.advance(Position{}) == 0);
}

TEST_CASE("a timeline that goes back has to catch up", "[due][P6]") {
  Due due{each(10), Position{}};
  CHECK(due.advance(batch(15)) == 1);
  CHECK(due.advance(batch(5)) == 0);
  CHECK(due.advance(batch(15)) == 0);
  CHECK(due.advance(batch(20)) == 1);
  Due real{each(1).seconds(), Position{}};
  CHECK(real.advance(second(std::nan(""))) == 0);
  CHECK(real.advance(second(1)) == 1);
}

TEST_CASE("a resumed loop continues counting", "[due]") {
  Due due{each(10) | at(12), batch(10)};
  CHECK_FALSE(due.possible(batch(11)));
  CHECK(due.advance(batch(12)) == 1);
  CHECK(due.advance(batch(20)) == 1);
}

TEST_CASE("always is due wherever it is checked, never nowhere", "[due]") {
  Due always_due{always(), batch(3)}, never_due{never(), batch(3)}, no_schedule;
  CHECK(always_due.possible(batch(3)));
  CHECK(always_due.advance(batch(3)) == 1);
  CHECK(always_due.advance(batch(3)) == 1);
  CHECK_FALSE(never_due.possible(batch(100)));
  CHECK(never_due.advance(batch(100)) == 0);
  CHECK_FALSE(no_schedule.possible(batch(100)));
  CHECK_FALSE(always_due.exhausted());
  CHECK(never_due.exhausted());
}

TEST_CASE("between timelines the operators act on boundaries", "[due][P5]") {
  std::vector<Position> loop; // 7 s per batch
  for (Step i = 0; i <= 40; ++i)
    loop.push_back({.batches = i, .seconds = 7.0 * static_cast<double>(i), .timelines = {}});
  // 60 s have passed at batches 9, 18, 26, 35; every tenth is 10, 20, 30, 40.
  CHECK(due_at(each(10) | each(60).seconds(), loop) == Indices{9, 10, 18, 20, 26, 30, 35, 40});
  CHECK(due_at(each(5) & each(60).seconds(), loop) == Indices{35});
  CHECK(due_at(each(10) & ~each(100).seconds(), loop) == Indices{10, 20, 30, 40}); // at 15, 29, ...
  CHECK(due_at(each(10) & ~each(140).seconds(), loop) == Indices{10, 30});
  CHECK(due_at(each(10) & ~each(60).seconds() & ~at(20), loop) == Indices{10, 30, 40});
  CHECK(due_at(~(each(10) | each(60).seconds()) & at(9, 10, 11, 20), loop) == Indices{11});
  // One boundary over everything: each fact holds, and the firing counts 1.
  Due due{each(10) & each(60).seconds(), Position{}};
  CHECK(due.advance(loop[40]) == 1);
}

TEST_CASE("parts on the same timeline are one set, regardless of their place", "[due][P5]") {
  Due due{each(10) & each(1).seconds() & ~at(10), Position{}};
  Position p{.batches = 19, .seconds = 5, .timelines = {}};
  CHECK(due.advance(p) == 0); // 10 is in the range, but not in the set
}

TEST_CASE("a mixed schedule is due as its facts say by hand", "[due][P5][P6]") {
  std::mt19937 random{11};
  for (int i = 0; i < test::rounds(2000); ++i) {
    const auto mixed = random_mixture(random, 3);
    if (timelines_of(mixed).size() < 2)
      continue;
    Due due{mixed, Position{}};
    Position now, last;
    for (int k = 0; k < 40; ++k, last = now) {
      now.batches += random() % 3;
      now.epochs += random() % 4 == 0 ? 1 : 0;
      now.examples += random() % 6;
      INFO(to_string(mixed) << " at batch " << now.batches << ", epoch " << now.epochs
                            << ", example " << now.examples);
      REQUIRE((due.possible(now) ? due.advance(now) : 0)
              == (due_by_hand(mixed, last, now) ? 1 : 0));
    }
  }
}

TEST_CASE("a mixed schedule answers the same with and without the quick check", "[due][P5][P6]") {
  std::mt19937 random{7};
  for (int i = 0; i < test::rounds(2000); ++i) {
    auto mixed = random_set(random, 2) & random_set(random, 2, 0.5);
    mixed = random() % 2 == 0 ? mixed : ~mixed;
    mixed = random() % 2 == 0 ? mixed | random_set(random, 1) : mixed & ~random_set(random, 1, 0.5);
    Due quick{mixed, Position{}}, thorough{mixed, Position{}};
    Position now;
    for (int k = 0; k < 40; ++k) {
      now.batches += random() % 3;
      now.seconds += 0.25 * static_cast<double>(random() % 3);
      const auto expected = thorough.advance(now);
      INFO(to_string(mixed) << " at batch " << now.batches << ", second " << now.seconds);
      REQUIRE((quick.possible(now) ? quick.advance(now) : 0) == expected);
    }
  }
}

TEST_CASE("the quick check is quick", "[.][benchmark]") {
  auto measure = [](const char* name, const Schedule& schedule) {
    Position now;
    now.timelines["tokens"] = 0;
    Due due{schedule, now};
    constexpr int calls = 100000000;
    std::uint64_t hits = 0;
    const auto begin = std::chrono::steady_clock::now();
    for (int i = 0; i < calls; ++i) {
      ++now.batches;
      now.seconds += 1e-9;
      asm volatile("" : : "r"(&now) : "memory");
      hits += due.possible(now) ? 1 : 0;
    }
    const std::chrono::duration<double, std::nano> spent = std::chrono::steady_clock::now() - begin;
    std::cout << name << ": " << spent.count() / calls << " ns per possible(), " << hits
              << " hits\n";
  };
  measure("never (the loop itself)", never());
  measure("each(1e12 batches)", each(1e12));
  measure("each(60 seconds)", each(60).seconds());
  measure("each(1e12 batches) | each(60 seconds)", each(1e12) | each(60).seconds());
  measure("each(10 tokens)", each(10).on("tokens"));
}
