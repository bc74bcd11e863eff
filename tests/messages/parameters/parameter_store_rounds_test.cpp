#include "messages/wire/type_ids.hpp"
#include "tests/support/round_store.hpp"

#include <algorithm>
#include <random>

using namespace troupe;
using namespace troupe::test;
using Catch::Contains;

namespace {

using Workers = std::vector<WorkerId>;

/// S and v after some rounds of four workers, whose pushes arrive in the given order.
std::vector<Floats> played(const UpdateRule& rule, unsigned order) {
  std::mt19937 numbers{7}, orders{order};
  std::uniform_real_distribution<float> in{-1, 1};
  const auto random_values = [&] {
    Floats values(33);
    for (auto& x : values)
      x = in(numbers);
    return values;
  };
  RoundStore shared{4, random_values()};
  std::vector<Floats> trace;
  for (int round = 0; round < 3; ++round) {
    std::vector<Push> pushes;
    for (WorkerId worker = 0; worker < 4; ++worker)
      pushes.push_back(shared.next(worker, random_values(), in_step, rule));
    std::shuffle(pushes.begin(), pushes.end(), orders);
    for (const auto& push : pushes)
      CHECK(shared.waits(push));
    for (const auto& settled : shared.store.settle())
      trace.push_back(floats_of(settled.parameters.values));
    trace.push_back(shared.values());
    trace.push_back(floats_of(shared.store.save().velocity));
  }
  return trace;
}

} // namespace

TEST_CASE("nothing is applied before all have pushed, and then all get the same answer",
          "[rounds][L9]") {
  RoundStore shared{3, {8}};
  CHECK(shared.waits(shared.next(2, {1})));
  CHECK(shared.waits(shared.next(0, {2})));
  CHECK(shared.store.settle().empty());
  CHECK(shared.values() == Floats{8});
  CHECK(shared.store.status().version == 0);
  CHECK(shared.store.status().missing == Workers{1});
  CHECK(shared.waits(shared.next(1, {6})));
  const auto settled = shared.store.settle();
  REQUIRE(workers_of(settled) == Workers{0, 1, 2});
  for (const auto& one : settled) {
    CHECK(floats_of(one.parameters.values) == Floats{3});
    CHECK(one.parameters.version == 1);
    CHECK(one.parameters.staleness == 0);
    CHECK(one.parameters.mark == shared.mark());
  }
  CHECK(shared.store.status().pushes == 3);
  CHECK(shared.store.status().missing.empty());
  CHECK(shared.store.settle().empty());
}

TEST_CASE("the bits of a round do not depend on the order of its pushes", "[rounds][L9]") {
  for (const std::string rule : {"alpha_beta", "average", "easgd", "downpour", "outer_nesterov"}) {
    INFO(rule);
    auto with = named_rule(rule);
    if (rule == "easgd")
      with.settings["elasticity"] = 0.2f;
    const auto first = played(with, 0);
    for (unsigned order = 1; order < 10; ++order)
      CHECK(played(with, order) == first);
  }
}

TEST_CASE("with easgd a round is answered with the parameters before it", "[rounds][L9]") {
  RoundStore shared{2, {8}};
  auto rule = named_rule("easgd");
  rule.settings["elasticity"] = 0.25f;
  CHECK(shared.waits(shared.next(0, {4}, in_step, rule)));
  CHECK(shared.waits(shared.next(1, {16}, in_step, rule)));
  for (const auto& one : shared.store.settle())
    CHECK(floats_of(one.parameters.values) == Floats{8});
  CHECK(shared.values() == Floats{9});
}

TEST_CASE("a worker that leaves releases the round and takes its push with it", "[rounds][L9]") {
  RoundStore shared{3};
  CHECK(shared.waits(shared.next(0, {4})));
  CHECK(shared.waits(shared.next(1, {100})));
  shared.store.leave(1);
  CHECK(shared.store.settle().empty());
  shared.store.leave(2);
  CHECK(workers_of(shared.store.settle()) == Workers{0});
  CHECK(shared.values() == Floats{4});
  CHECK(shared.store.status().journal[1] == std::vector<std::uint64_t>{0});
}

TEST_CASE("a worker whose lease ends releases the round, and may come back",
          "[rounds][lease][L9]") {
  RoundStore shared{2, {0}, 1};
  CHECK(shared.waits(shared.next(0, {4}), 1.5));
  CHECK(shared.store.expire(1.9).empty());
  CHECK(shared.store.settle().empty());
  CHECK(shared.store.expire(3) == Workers{1});
  CHECK(workers_of(shared.store.settle()) == Workers{0});
  CHECK(shared.values() == Floats{4});
  CHECK(shared.store.status().lost == Workers{1});

  const auto late = shared.next(1, {1000}); // it was only slow
  const auto refusal = shared.store.exchange(late, 3).refusal;
  CHECK(refusal == Error::not_joined);
  CHECK_THAT(sentence(refusal), Contains("its lease has ended"));
  CHECK(shared.values() == Floats{4});
  shared.join(1, 3.5);
  CHECK(shared.store.exchange(late, 3.5).refusal == Error::stale);
  CHECK(shared.values() == Floats{4});
  CHECK(shared.store.status().pushes == 1);

  CHECK(shared.waits(shared.next(0, {2}), 3.5));
  CHECK(shared.store.settle().empty()); // it is waited for again
  CHECK(shared.waits(shared.next(1, {6}), 3.5));
  CHECK(shared.store.settle().size() == 2);
  CHECK(shared.values() == Floats{4});
}

TEST_CASE("announced workers hold a round until they join or are waived", "[rounds][L9]") {
  const auto waived = GENERATE(false, true);
  RoundStore shared{1};
  shared.join(0, 0, 3);
  CHECK(shared.waits(shared.next(0, {4})));
  CHECK(shared.store.settle().empty());
  CHECK(shared.store.waits_for_absent());
  shared.join(1, 0, 3);
  CHECK(shared.waits(shared.next(1, {2})));
  CHECK(shared.store.settle().empty());
  if (waived) {
    shared.store.waive_absent();
    CHECK_FALSE(shared.store.waits_for_absent());
    CHECK(shared.store.settle().size() == 2);
    CHECK(shared.values() == Floats{3});
    shared.join(2, 0, 3); // it joins after all
    CHECK(shared.waits(shared.next(0, {4})));
    CHECK(shared.waits(shared.next(1, {4})));
    CHECK(shared.store.settle().empty());
    CHECK(shared.waits(shared.next(2, {1})));
  } else {
    shared.join(2, 0, 3);
    CHECK_FALSE(shared.store.waits_for_absent());
    CHECK(shared.store.settle().empty()); // it has joined, but has not pushed
    CHECK(shared.waits(shared.next(2, {3})));
  }
  CHECK(shared.store.settle().size() == 3);
  CHECK(shared.values() == Floats{3});
}

TEST_CASE("a cluster that starts when all of a larger one have gone waits for its own workers only",
          "[rounds][L9]") {
  RoundStore shared{1};
  shared.join(0, 0, 4);
  shared.join(3, 0, 4);
  shared.store.leave(0);
  shared.store.leave(3);
  shared.join(0, 0, 2);
  CHECK(shared.waits(shared.next(0, {4})));
  CHECK(shared.store.settle().empty()); // worker 1 has not joined yet
  shared.join(1, 0, 2);
  CHECK_FALSE(shared.store.waits_for_absent());
  CHECK(shared.waits(shared.next(1, {2})));
  CHECK(shared.store.settle().size() == 2);
  CHECK(shared.values() == Floats{3});
}

TEST_CASE("a round waits for expected workers, but not for those that leave before they join",
          "[rounds][L9]") {
  RoundStore shared{1};
  shared.store.expect(2);
  CHECK(shared.waits(shared.next(0, {4})));
  CHECK(shared.store.settle().empty());
  shared.store.leave(1);
  CHECK(shared.store.settle().size() == 1);
}

TEST_CASE("a worker that leaves twice before it joins counts once", "[rounds][L9]") {
  RoundStore shared{1};
  shared.store.expect(3);
  CHECK(shared.waits(shared.next(0, {4})));
  shared.store.leave(1);
  shared.store.leave(1);
  CHECK(shared.store.settle().empty()); // worker 2 has not joined yet
  shared.store.leave(2);
  CHECK(shared.store.settle().size() == 1);
}

TEST_CASE("a waived worker is not waited for again when another worker comes back",
          "[rounds][L9]") {
  RoundStore shared{1};
  shared.join(0, 0, 3);
  shared.join(1, 0, 3);
  CHECK(shared.waits(shared.next(0, {4})));
  shared.store.waive_absent();
  shared.join(1, 0, 3); // does not know that
  CHECK(shared.waits(shared.next(1, {2})));
  CHECK_FALSE(shared.store.waits_for_absent());
  CHECK(shared.store.settle().size() == 2);
}

TEST_CASE("a push that is repeated while it waits is one push, and gets the answer later",
          "[rounds][L4][L9]") {
  RoundStore shared{2, {8}};
  const auto push = shared.next(0, {2});
  CHECK(shared.waits(push));
  CHECK(shared.waits(push));
  CHECK(shared.waits(push));
  CHECK(shared.waits(shared.next(1, {4})));
  CHECK(shared.store.settle().size() == 2);
  CHECK(shared.values() == Floats{3});
  const auto again = shared.store.exchange(push).answer;
  REQUIRE(again);
  CHECK(floats_of(again->values) == Floats{3});
  CHECK(shared.store.last_applied(0) == Applied{1, 0});
  CHECK(shared.store.settle().empty()); // it has not opened a round
  CHECK(shared.store.status().pushes == 2);
}

TEST_CASE("a push that was given up and arrives late does not replace the one after it",
          "[rounds][R9]") {
  RoundStore shared{1};
  const auto given_up = shared.next(0, {1});
  shared.store.expect(2);
  CHECK(shared.waits(shared.next(0, {5})));
  CHECK(shared.waits(given_up));
  shared.store.waive_absent();
  CHECK(shared.store.settle().size() == 1);
  CHECK(shared.values() == Floats{5});
}

TEST_CASE("a push with another rule than the round's is refused, and the round continues",
          "[rounds][L4][L9]") {
  RoundStore shared{2};
  auto gentle = named_rule("easgd"), strong = gentle;
  gentle.settings["elasticity"] = 0.25f;
  CHECK(shared.waits(shared.next(0, {4}, in_step, strong)));
  CHECK(shared.waits(shared.next(0, {4}, in_step, gentle))); // its own, and the first again
  CHECK(sentence(shared.store.exchange(shared.next(1, {8}, in_step, strong)).refusal)
        == "worker 1 syncs by the rule easgd (elasticity 0.5), but in the same round worker 0 by "
           "easgd (elasticity 0.25); give all workers one configuration");
  // cure: ; give all workers one configuration
  CHECK(shared.waits(shared.next(1, {8}, in_step, gentle)));
  CHECK(shared.store.settle().size() == 2);
  CHECK(shared.values() == Floats{3});
}

TEST_CASE("workers with another count are refused while the others are present, readers never",
          "[rounds][L9]") {
  RoundStore shared{1};
  shared.join(0, 0, 2);
  auto other = join_of(1, shared.layout);
  other.workers = 3;
  const auto refused = shared.store.join(other);
  REQUIRE_FALSE(refused);
  CHECK_THAT(sentence(refused.error()), Contains("one of 3 workers") && Contains("one of 2"));
  other.is_reader = true;
  CHECK(shared.store.join(other));
  other.is_reader = false;
  shared.store.leave(0);
  CHECK(shared.store.join(other));
}

TEST_CASE("a reader with a smaller count does not take a worker's number", "[rounds][L9][T10]") {
  RoundStore shared{2};
  auto reader = join_of(1, shared.layout); // beside one worker
  reader.is_reader = true;
  reader.process = 7;
  const auto refused = shared.store.join(reader);
  REQUIRE_FALSE(refused);
  CHECK_THAT(sentence(refused.error()), Contains("worker 1, which has joined"));
  CHECK(shared.waits(shared.next(1, {4})));
  shared.store.leave(1);
  CHECK(shared.store.join(reader));
}

TEST_CASE("an invalid push of a round is refused at once, and the round continues",
          "[rounds][L4][L9]") {
  RoundStore shared{2};
  auto bad_rule = named_rule("easgd");
  bad_rule.settings["elasticity"] = 2;
  const auto refusal = shared.store.exchange(shared.next(0, {1}, in_step, bad_rule)).refusal;
  CHECK_THAT(sentence(refusal), Contains("rule of worker 0") && Contains("elasticity"));
  CHECK(shared.store.exchange(shared.next(0, {1, 2})).refusal == Error::shape_mismatch);
  CHECK(shared.waits(shared.next(0, {1})));
  CHECK(shared.waits(shared.next(1, {3})));
  CHECK(shared.store.settle().size() == 2);
  CHECK(shared.values() == Floats{2});
}

TEST_CASE("a push that overtakes one that waits is recognised when it is repeated",
          "[rounds][R9]") {
  RoundStore shared{2};
  const auto add = named_rule("downpour");
  CHECK(shared.waits(shared.next(0, {1}, in_step, add)));
  const auto last = shared.next(0, {10}, unbounded, add); // it leaves, and waits no longer
  CHECK_FALSE(shared.waits(last));
  CHECK(workers_of(shared.store.settle()).empty());
  CHECK(shared.waits(shared.next(1, {100}, in_step, add)));
  CHECK(shared.store.settle().size() == 2);
  CHECK(shared.values() == Floats{111});
  CHECK_FALSE(shared.waits(last));
  CHECK(shared.values() == Floats{111});
  CHECK(shared.store.status().journal[0] == std::vector<std::uint64_t>{2});
}

TEST_CASE("a worker may change its staleness during training", "[rounds][staleness][L9]") {
  RoundStore shared{2};
  CHECK(shared.waits(shared.next(0, {4})));
  CHECK_FALSE(shared.waits(shared.next(1, {2}, unbounded))); // unbounded: none waits for it
  CHECK(workers_of(shared.store.settle()) == Workers{0});
  CHECK(shared.values() == Floats{4});
  CHECK(shared.waits(shared.next(0, {6})));
  CHECK(workers_of(shared.store.settle()) == Workers{0}); // a round of one
  CHECK(shared.waits(shared.next(1, {2})));               // in step again
  CHECK(shared.store.settle().empty());
  CHECK(shared.waits(shared.next(0, {4})));
  CHECK(shared.store.settle().size() == 2);
  CHECK(shared.values() == Floats{3});
}

TEST_CASE("the answer to a worker too far ahead waits, its push does not", "[staleness][L9]") {
  RoundStore shared{2};
  const Staleness two{2};
  CHECK_FALSE(shared.waits(shared.next(0, {1}, two)));
  CHECK_FALSE(shared.waits(shared.next(0, {2}, two)));
  const auto third = shared.next(0, {3}, two);
  CHECK(shared.waits(third));
  CHECK(shared.values() == Floats{3});
  CHECK(shared.waits(third)); // repeated: still too far ahead
  CHECK(shared.store.status().pushes == 3);
  CHECK(shared.store.settle().empty());
  CHECK_FALSE(shared.waits(shared.next(1, {9}, two)));
  const auto settled = shared.store.settle();
  REQUIRE(workers_of(settled) == Workers{0});
  CHECK(settled.front().id == third.id);
  CHECK(floats_of(settled.front().parameters.values) == Floats{9}); // the newest
  CHECK_FALSE(shared.waits(third));
  CHECK(shared.store.status().pushes == 4);
}

TEST_CASE("no round waits for readers", "[rounds][L9]") {
  RoundStore shared{1};
  auto reader = join_of(9, shared.layout);
  reader.is_reader = true;
  REQUIRE(shared.store.join(reader));
  CHECK(shared.waits(shared.next(0, {4})));
  CHECK(workers_of(shared.store.settle()) == Workers{0});
  CHECK(shared.store.status().workers == Workers{0});
  CHECK(shared.store.status().readers == Workers{9});
  CHECK(shared.store.renew({9, 1})->main == 0);
  // A worker that comes back as a reader takes its push with it.
  shared.join(1);
  CHECK(shared.waits(shared.next(1, {100})));
  reader.worker = 1;
  REQUIRE(shared.store.join(reader));
  CHECK(shared.waits(shared.next(0, {6})));
  CHECK(workers_of(shared.store.settle()) == Workers{0});
  CHECK(shared.values() == Floats{6});
}

TEST_CASE("a reader has no journal, and is not missed when its lease has ended",
          "[rounds][lease][L9]") {
  RoundStore shared{1};
  auto reader = join_of(9, shared.layout);
  reader.is_reader = true;
  reader.lease = 1;
  REQUIRE(shared.store.join(reader));
  CHECK(shared.store.expire(10) == Workers{9});
  const auto status = shared.store.status();
  CHECK(status.lost.empty());
  CHECK(status.journal.count(9) == 0);
  CHECK(status.journal.count(0) == 1);
}

TEST_CASE("while workers are still expected, none is main before worker 0", "[rounds][L9]") {
  RoundStore shared{1};
  shared.store.leave(0);
  shared.join(1, 0, 3);
  CHECK(shared.store.renew({1, 1})->main == 0);
  shared.store.waive_absent();
  CHECK(shared.store.renew({1, 1})->main == 1);
}

TEST_CASE("a Leave of an earlier incarnation is ignored", "[rounds][L9]") {
  RoundStore shared{1};
  shared.join(0);
  shared.store.leave(0, 1);
  CHECK(shared.store.joined(0));
  shared.store.leave(0, 2);
  CHECK_FALSE(shared.store.joined(0));
}
