#include "messages/parameters/membership.hpp"
#include "messages/requests/error.hpp"
#include "messages/wire/type_ids.hpp"

#include <catch2/catch.hpp>

#include <cmath>
#include <random>
#include <set>

using namespace troupe;
using Catch::Contains;

namespace {

using Workers = std::vector<WorkerId>;

/// The seconds that a worker may be silent after `last` before it is lost.
double patience_with(Membership members, double last) {
  double silence = 0;
  while (members.expire(last + silence).empty())
    silence += 1.0 / 64;
  return silence;
}

} // namespace

TEST_CASE("a dead worker is detected within three renewals, and never before two", "[lease][L9]") {
  const auto seed = GENERATE(range(0u, 30u));
  std::mt19937 random{seed};
  const double lease = 0.5 + static_cast<double>(random() % 100) / 20;
  const double jitter = static_cast<double>(seed % 5) / 5; // of the time between renewals
  std::uniform_real_distribution<double> around{1 - jitter, 1 + jitter};
  Membership members;
  double now = 1000;
  members.join(3, lease, false, now);
  for (int renewal = 0; renewal < 50; ++renewal) {
    const auto silence = patience_with(members, now);
    REQUIRE(silence >= 2 * lease - 1e-9);
    REQUIRE(silence <= 3 * lease + 1.0 / 64);
    now += lease * around(random);
    REQUIRE(members.expire(now).empty()); // a late renewal, up to twice the time, is harmless
    members.renew(3, now);
  }
}

TEST_CASE("a worker with regular renewals is missed sooner than one with irregular ones",
          "[lease][L9]") {
  Membership regular, irregular;
  regular.join(0, 1, false, 0);
  irregular.join(0, 1, false, 0);
  double now = 0;
  for (int renewal = 0; renewal < 100; ++renewal) {
    now += 1;
    regular.renew(0, now);
    irregular.renew(0, now + (renewal % 2 == 0 ? 0.0 : 0.45));
  }
  CHECK(patience_with(regular, now) == Approx(2).margin(0.02));
  CHECK(patience_with(irregular, now + 0.45) > 2.4);
}

TEST_CASE("one late renewal gives a worker more time at once", "[lease][L9]") {
  Membership members;
  members.join(0, 1, false, 0);
  members.renew(0, 1.75);
  CHECK(patience_with(members, 1.75) > 2.2);
}

TEST_CASE("pushes between renewals keep a worker alive and do not shorten its lease",
          "[lease][L9]") {
  Membership members;
  members.join(0, 1, false, 0);
  double now = 0;
  for (int push = 0; push < 1000; ++push) {
    now += 0.01;
    members.renew(0, now);
  }
  CHECK(patience_with(members, now) >= 2);
}

TEST_CASE("a worker without a lease is never lost", "[lease][L9]") {
  Membership members;
  members.join(0, 0, false, 0);
  CHECK(members.expire(1e12).empty());
  CHECK(std::isinf(members.next_end(5)));
  CHECK(members.joined(0));
}

TEST_CASE("the next end of a lease is when the first one ends, and not before", "[lease][L9]") {
  Membership members;
  members.join(0, 4, false, 0);
  members.join(1, 1, false, 0);
  members.join(2, 2, false, 0);
  members.leave(1);
  const auto left = members.next_end(1);
  CHECK(left >= 3); // worker 2's ends between two and three renewals, 4 s and 6 s
  CHECK(left <= 5);
  CHECK(members.expire(1 + left - 0.001).empty());
  CHECK(members.expire(1 + left + 0.001) == Workers{2});
}

TEST_CASE("a lost worker is refused with a sentence, and is back once it joins again",
          "[lease][L9]") {
  Membership members;
  CHECK(members.join(5, 1, false, 0) == 1);
  CHECK_FALSE(members.check(5, 1, "a push"));
  CHECK(members.expire(3) == Workers{5});
  CHECK(members.expire(4).empty()); // reported once
  CHECK(members.lost() == Workers{5});
  CHECK(members.live().empty());
  const auto refusal = members.check(5, 1, "push 7");
  CHECK(refusal == Error::not_joined);
  CHECK_THAT(sentence(refusal), Contains("push 7 of worker 5") && Contains("join again"));
  members.renew(5, 4); // too late
  CHECK_FALSE(members.joined(5));
  CHECK(members.join(5, 1, false, 5) == 2);
  CHECK(members.lost().empty());
  CHECK(members.joined(5));
  const auto old = members.check(5, 1, "push 7");
  CHECK(old == Error::stale);
  CHECK_THAT(sentence(old), Contains("incarnation 1") && Contains("the current one is 2"));
  CHECK_FALSE(members.check(5, 2, "push 1"));
  CHECK(members.expire(6.9).empty()); // its lease started over
}

TEST_CASE("a worker that never joined, or has left, is told to join", "[lease][L9]") {
  Membership members;
  CHECK(members.check(1, 0, "a renewal") == Error::not_joined);
  members.leave(1);
  members.renew(1, 0);
  members.join(1, 1, false, 0);
  members.leave(1);
  CHECK(members.check(1, 1, "a renewal") == Error::not_joined);
  CHECK_THAT(sentence(members.check(1, 1, "a renewal")),
             Contains("worker 1 sends a renewal") && Contains("send Join"));
  CHECK(members.lost().empty());
  members.join(2, 1, false, 0);
  members.expire(3);
  members.leave(2); // a late Leave
  CHECK(members.lost().empty());
}

TEST_CASE(
  "a process is superseded by the next one with its number, lost or not, unless it has left",
  "[lease][L9]") {
  Membership members;
  members.join(0, 1, false, 0, 11);
  CHECK_FALSE(members.superseded(0, 11));
  CHECK(members.expire(100).size() == 1);
  members.join(0, 1, false, 100, 22);
  CHECK(members.superseded(0, 11));
  CHECK_FALSE(members.superseded(1, 11));
  members.leave(0);
  members.join(0, 1, false, 101, 33);
  CHECK_FALSE(members.superseded(0, 22));
  CHECK(members.superseded(0, 11));
  members.join(0, 0, false, 102);
  CHECK(members.superseded(0, 33));
  CHECK_FALSE(members.superseded(0, 0)); // a process without an id never is
}

TEST_CASE("a worker that expects another number of workers than those present is refused",
          "[lease][L9]") {
  Membership members;
  const auto join
    = [&](WorkerId worker, WorkerId workers) { members.join(worker, 1, false, 0, 0, workers); };
  join(0, 2);
  members.join(9, 1, true, 0, 0, 5); // a reader
  CHECK_FALSE(members.check_count(1, 2));
  CHECK_FALSE(members.check_count(1, 0)); // without a number
  CHECK_FALSE(members.check_count(0, 3)); // restarted
  const auto refused = members.check_count(1, 3);
  CHECK(refused == Error::invalid_options);
  CHECK_THAT(sentence(refused), Contains("worker 1 is one of 3 workers")
                                  && Contains("worker 0, which has joined, is one of 2")
                                  && Contains("the same --workers"));
  // cure: ; give all the same --workers, or wait until the earlier workers are gone
  CHECK_FALSE(members.check_count(1, 2));
  members.leave(0);
  CHECK_FALSE(members.check_count(1, 3));
  join(0, 2);
  CHECK(members.expire(100).size() == 2);
  CHECK_FALSE(members.check_count(1, 3)); // the earlier workers are gone
}

TEST_CASE("main is the lowest number among those that train", "[lease][L9]") {
  Membership members;
  CHECK(members.main() == 0);
  members.join(0, 1, true, 0); // a reader
  members.join(4, 1, false, 0);
  CHECK(members.main() == 4);
  members.join(2, 1, false, 0);
  CHECK(members.main() == 2);
  CHECK(members.live() == Workers{0, 2, 4});
  CHECK(members.training() == std::set<WorkerId>{2, 4});
  CHECK(members.ever_joined() == 2);
  members.renew(4, 1);
  members.expire(2.5);
  CHECK(members.main() == 4);
  CHECK(members.ever_joined() == 2);
  members.join(2, 1, false, 3);
  CHECK(members.main() == 2);
}

TEST_CASE("after a restart incarnations continue", "[lease][L9]") {
  Membership members;
  members.remember(3, 7);
  CHECK(members.incarnation(3) == 7);
  CHECK(members.incarnation(4) == 0);
  CHECK_FALSE(members.joined(3));
  CHECK(members.ever_joined() == 0);
  CHECK(members.check(3, 7, "a push") == Error::not_joined);
  CHECK(members.join(3, 1, false, 0) == 8);
  members.remember(3, 2); // older than what is known
  CHECK(members.incarnation(3) == 8);
}

TEST_CASE("random joins and leaves match a plain model", "[lease][L9]") {
  const auto seed = GENERATE(range(0u, 20u));
  std::mt19937 random{seed};
  Membership members;
  std::set<WorkerId> joined, lost, reading, trained;
  std::map<WorkerId, std::uint64_t> incarnations;
  std::map<WorkerId, double> seen;
  double now = 0;
  for (int step = 0; step < 500; ++step) {
    now += static_cast<double>(random() % 100) / 100;
    const WorkerId worker = random() % 6;
    switch (random() % 8) {
    case 0: {
      const auto is_reader = random() % 3 == 0;
      REQUIRE(members.join(worker, 1, is_reader, now) == ++incarnations[worker]);
      joined.insert(worker);
      lost.erase(worker);
      is_reader ? reading.insert(worker) : trained.insert(worker);
      if (!is_reader)
        reading.erase(worker);
      seen[worker] = now;
      break;
    }
    case 1:
      members.leave(worker);
      joined.erase(worker);
      lost.erase(worker);
      break;
    default: members.renew(worker, now); seen[worker] = now;
    }
    for (auto one : members.expire(now)) {
      REQUIRE(joined.erase(one) == 1);
      REQUIRE(now - seen[one] >= 2);
      lost.insert(one);
    }
    std::set<WorkerId> training;
    for (auto one : joined) {
      REQUIRE(now - seen[one] < 3);
      if (!reading.contains(one))
        training.insert(one);
    }
    REQUIRE(members.live() == Workers(joined.begin(), joined.end()));
    REQUIRE(members.lost() == Workers(lost.begin(), lost.end()));
    REQUIRE(members.training() == training);
    REQUIRE(members.main() == (training.empty() ? 0 : *training.begin()));
    REQUIRE(members.ever_joined() == trained.size());
    for (WorkerId one = 0; one < 6; ++one)
      REQUIRE(members.joined(one) == joined.contains(one));
  }
}
