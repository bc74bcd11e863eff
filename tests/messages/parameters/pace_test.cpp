#include "messages/parameters/pace.hpp"
#include "messages/wire/type_ids.hpp"
#include "tests/support/holder_checks.hpp"

#include <catch2/catch.hpp>

#include <algorithm>
#include <limits>
#include <random>

using namespace troupe;
using troupe::test::in_step;
using troupe::test::unbounded;

namespace {

using Workers = std::vector<WorkerId>;

Push push_of(WorkerId worker, Staleness staleness = in_step, std::uint64_t number = 1) {
  Push push;
  push.id = {worker, 1, number};
  push.staleness = staleness;
  return push;
}

Workers workers_of(const std::vector<Push>& round) {
  Workers workers;
  for (const auto& push : round)
    workers.push_back(push.id.worker);
  return workers;
}

Workers missing_in(const Pace& pace) { return {pace.missing().begin(), pace.missing().end()}; }

/// A plain model of what Pace guarantees.
struct ReferencePace {
  struct One {
    std::int64_t clock = 0;
    bool known = false; ///< has pushed
    Staleness staleness;
    bool in_round = false, held = false;
  };
  std::map<WorkerId, One> here;

  void enter(WorkerId worker) {
    here.erase(worker);
    One one;
    bool first = true;
    for (const auto& [other, it] : here) {
      one.clock = first ? it.clock : std::min(one.clock, it.clock);
      first = false;
    }
    here[worker] = one;
  }
  Workers missing() const {
    Workers result;
    for (const auto& [worker, one] : here)
      if (!one.in_round && (!one.known || one.staleness.bound == 0))
        result.push_back(worker);
    return result;
  }
  bool may_continue(WorkerId worker) const {
    const auto& one = here.at(worker);
    if (!one.known || one.staleness.bound <= 0)
      return true;
    for (const auto& [other, it] : here)
      if (one.clock - it.clock > one.staleness.bound)
        return false;
    return true;
  }
};

} // namespace

TEST_CASE("a round is complete once all workers in step have pushed", "[pace][L9]") {
  Pace pace;
  const Workers all{1, 2, 3};
  for (auto worker : all)
    pace.enter(worker);
  CHECK_FALSE(pace.round_open());
  CHECK(missing_in(pace) == all);
  pace.contribute(push_of(2));
  CHECK(pace.round_open());
  CHECK(missing_in(pace) == Workers{1, 3});
  pace.pushed(3, unbounded); // it is unbounded, as is known now
  CHECK(missing_in(pace) == Workers{1});
  pace.contribute(push_of(2)); // repeated: still one push
  pace.contribute(push_of(1));
  CHECK(missing_in(pace).empty());
  CHECK(workers_of(pace.take_round()) == Workers{1, 2});
  CHECK_FALSE(pace.round_open());
  CHECK(missing_in(pace) == Workers{1, 2});
}

TEST_CASE("a worker that leaves or joins again takes its push out of the round", "[pace][L9]") {
  Pace pace;
  const Workers all{1, 2};
  for (auto worker : all)
    pace.enter(worker);
  pace.contribute(push_of(1));
  pace.leave(1);
  CHECK_FALSE(pace.round_open());
  pace.contribute(push_of(2));
  pace.enter(2);
  CHECK_FALSE(pace.round_open());
}

TEST_CASE("a worker too far ahead waits for the slowest, and not for workers that left",
          "[pace][L9]") {
  Pace pace;
  const Workers all{1, 2, 3};
  for (auto worker : all)
    pace.enter(worker);
  pace.pushed(1, {1});
  CHECK(pace.may_continue(1));
  pace.pushed(1, {1});
  CHECK_FALSE(pace.may_continue(1));
  pace.hold(1);
  CHECK(pace.holds(1));
  CHECK(pace.release().empty());
  pace.pushed(2, {1});
  CHECK(pace.release().empty()); // worker 3 has not pushed yet
  pace.leave(3);
  CHECK(pace.release() == Workers{1});
  CHECK_FALSE(pace.holds(1));
}

TEST_CASE("the slow are those whom workers that are held wait for", "[pace][L9]") {
  Pace pace;
  for (WorkerId worker : {1, 2, 3})
    pace.enter(worker);
  pace.pushed(1, {1});
  pace.pushed(1, {1});
  pace.pushed(2, {1});
  CHECK(pace.too_slow().empty()); // none is held
  REQUIRE_FALSE(pace.may_continue(1));
  pace.hold(1);
  CHECK(pace.too_slow() == Workers{3});
}

TEST_CASE("a late joiner starts level with the slowest and holds up none", "[pace][L9]") {
  Pace pace;
  Workers all{1, 2};
  for (auto worker : all)
    pace.enter(worker);
  for (int i = 0; i < 100; ++i)
    for (auto worker : all)
      pace.pushed(worker, {2});
  pace.pushed(1, {2});
  all.push_back(3);
  pace.enter(3);
  for (auto worker : all)
    CHECK(pace.may_continue(worker));
  pace.pushed(1, {2});
  CHECK(pace.may_continue(1)); // 102, and 100 are the slowest
  pace.pushed(1, {2});
  CHECK_FALSE(pace.may_continue(1));
}

TEST_CASE("a worker without a bound is never held, but others wait for it", "[pace][L9]") {
  Pace pace;
  const Workers all{1, 2};
  for (auto worker : all)
    pace.enter(worker);
  for (int i = 0; i < 50; ++i)
    pace.pushed(1, unbounded);
  CHECK(pace.may_continue(1));
  pace.pushed(2, {3});
  CHECK(pace.may_continue(2));
  for (int i = 0; i < 60; ++i)
    pace.pushed(2, {3});
  CHECK_FALSE(pace.may_continue(2));
}

TEST_CASE("random joins, leaves and pushes match a plain model", "[pace][L9]") {
  const auto seed = GENERATE(range(0u, 20u));
  std::mt19937 random{seed};
  Pace pace;
  ReferencePace reference;
  for (int step = 0; step < 400; ++step) {
    const WorkerId worker = random() % 5;
    const auto there = reference.here.contains(worker);
    const auto what = random() % 20;
    if (what == 0) {
      pace.enter(worker);
      reference.enter(worker);
    } else if (what == 1) {
      pace.leave(worker);
      reference.here.erase(worker);
    } else if (there && !reference.here[worker].in_round && !reference.here[worker].held) {
      auto& one = reference.here[worker];
      const Staleness staleness{static_cast<std::int64_t>(random() % 5) - 1};
      one.known = true;
      one.staleness = staleness;
      if (staleness.synchronous()) {
        pace.contribute(push_of(worker));
        one.in_round = true;
      } else {
        pace.pushed(worker, staleness);
        ++one.clock;
        REQUIRE(pace.may_continue(worker) == reference.may_continue(worker));
        if (!reference.may_continue(worker)) {
          pace.hold(worker);
          one.held = true;
        }
      }
    }
    REQUIRE(missing_in(pace) == reference.missing());
    Workers in_round, released;
    for (auto& [id, one] : reference.here)
      if (one.in_round)
        in_round.push_back(id);
    REQUIRE(pace.round_open() == !in_round.empty());
    if (reference.missing().empty() && !in_round.empty()) {
      REQUIRE(workers_of(pace.take_round()) == in_round);
      for (auto id : in_round) {
        reference.here[id].in_round = false;
        ++reference.here[id].clock;
      }
    }
    for (auto& [id, one] : reference.here)
      if (one.held && reference.may_continue(id)) {
        one.held = false;
        released.push_back(id);
      }
    REQUIRE(pace.release() == released);
    for (const auto& [id, one] : reference.here)
      REQUIRE(pace.holds(id) == one.held);
  }
}

TEST_CASE("no released worker is more than its staleness ahead, and one can always continue",
          "[pace][L9]") {
  const auto bound = GENERATE(1, 2, 5);
  std::mt19937 random{static_cast<unsigned>(bound)};
  Pace pace;
  std::map<WorkerId, std::int64_t> clock;
  Workers training;
  const auto enter = [&](WorkerId worker) {
    auto slowest = std::numeric_limits<std::int64_t>::max();
    for (auto other : training)
      slowest = std::min(slowest, clock[other]);
    clock[worker] = training.empty() ? 0 : slowest;
    training.push_back(worker);
    std::sort(training.begin(), training.end());
    pace.enter(worker);
  };
  for (WorkerId worker = 0; worker < 4; ++worker)
    enter(worker);
  for (int step = 0; step < 5000; ++step) {
    if (step % 500 == 250) { // one leaves, and another one joins
      const auto gone = training[random() % training.size()];
      pace.leave(gone);
      training.erase(std::find(training.begin(), training.end(), gone));
      enter(static_cast<WorkerId>(10 + step));
    }
    Workers free;
    for (auto worker : training)
      if (!pace.holds(worker))
        free.push_back(worker);
    REQUIRE_FALSE(free.empty());
    const auto worker = free[random() % 2 == 0 ? 0 : random() % free.size()]; // one is often fast
    ++clock[worker];
    pace.pushed(worker, {bound});
    if (!pace.may_continue(worker))
      pace.hold(worker);
    pace.release();
    auto slowest = clock[training.front()];
    for (auto one : training)
      slowest = std::min(slowest, clock[one]);
    for (auto one : training) {
      REQUIRE(clock[one] <= slowest + bound + 1); // at most the push that it waits for
      if (!pace.holds(one))
        REQUIRE(clock[one] <= slowest + bound);
    }
  }
}
