#include "messages/wire/type_ids.hpp"
#include "tests/support/round_store.hpp"

#include <algorithm>
#include <random>

using namespace troupe;
using namespace troupe::test;
using Catch::Contains;

namespace {

/// Another store with the state of this one.
ParameterStore restarted(const ParameterStore& store) {
  ParameterStore fresh;
  REQUIRE_FALSE(fresh.restore(store.save()));
  return fresh;
}

} // namespace

TEST_CASE("equal sets of pushes leave equal marks, in any order", "[shards][L12]") {
  std::mt19937 random{GENERATE(1u, 2u, 3u, 4u)};
  RoundStore one{3}, two{3, {5, 6}}; // two shards, each with its part of the block
  std::vector<WorkerId> order;
  for (WorkerId worker = 0; worker < 3; ++worker)
    order.insert(order.end(), 20, worker);
  std::shuffle(order.begin(), order.end(), random);
  for (auto worker : order)
    CHECK_FALSE(one.waits(one.next(worker, {1}, unbounded)));
  CHECK(one.mark() != two.mark());
  std::shuffle(order.begin(), order.end(), random);
  for (auto worker : order) {
    CHECK(one.mark() != two.mark());
    const auto push = two.next(worker, {1, 1}, unbounded);
    CHECK_FALSE(two.waits(push));
    CHECK_FALSE(two.waits(push)); // a repetition leaves no mark
  }
  CHECK(one.mark() == two.mark());
}

TEST_CASE("a push of another worker, or one more push, leaves another mark", "[shards][L12]") {
  RoundStore one{2}, two{2};
  CHECK_FALSE(one.waits(one.next(0, {1}, unbounded)));
  CHECK_FALSE(two.waits(two.next(1, {1}, unbounded)));
  CHECK(one.mark() != two.mark());
  CHECK_FALSE(one.waits(one.next(0, {1}, unbounded)));
  CHECK_FALSE(two.waits(two.next(0, {1}, unbounded)));
  CHECK(one.mark() != two.mark());
}

TEST_CASE("the journal has each worker's last push, for each incarnation", "[shards][L9]") {
  RoundStore shared{2};
  using Numbers = std::vector<std::uint64_t>;
  for (int i = 0; i < 3; ++i)
    CHECK_FALSE(shared.waits(shared.next(0, {1}, unbounded)));
  shared.join(0);
  shared.join(0);
  CHECK_FALSE(shared.waits(shared.next(0, {1}, unbounded)));
  const auto status = shared.store.status();
  CHECK(status.journal.at(0) == Numbers{3, 0, 1});
  CHECK(status.journal.at(1) == Numbers{0});
  CHECK(status.pushes == 4);
}

TEST_CASE("a restored store continues as if nothing had happened", "[restart][L9]") {
  const auto outer = named_rule("outer_nesterov");
  RoundStore shared{2, {1, 2, 3}};
  const auto round = [&shared, &outer](float value) {
    CHECK(shared.waits(shared.next(0, {value, 1, 2}, in_step, outer)));
    CHECK(shared.waits(shared.next(1, {0, value, 4}, in_step, outer)));
    CHECK(shared.store.settle().size() == 2);
    return shared.values();
  };
  round(5);
  const auto saved = shared.store.save();
  const auto before = shared.store.status();
  const auto expected = round(-2); // with the velocity of the first

  auto fresh = ParameterStore{};
  REQUIRE_FALSE(fresh.restore(saved));
  CHECK(fresh.save() == saved);
  const auto after = fresh.status();
  CHECK(after.version == before.version);
  CHECK(after.versions == before.versions);
  CHECK(after.pushes == before.pushes);
  CHECK(after.journal == before.journal);
  CHECK(after.workers.empty());
  CHECK(fresh.pull()->values == saved.values);

  shared.store = std::move(fresh);
  shared.join(0);
  shared.join(1);
  CHECK(shared.ids[0].incarnation == 2);
  CHECK(shared.store.create_if_absent({1, block_of({9, 9, 9})})->values == saved.values);
  CHECK(round(-2) == expected);
}

TEST_CASE("after a restart no push from before it is applied again", "[restart][R9]") {
  RoundStore shared{2};
  const auto add = named_rule("downpour");
  const auto applied = shared.next(0, {1}, unbounded, add);
  CHECK_FALSE(shared.waits(applied));
  const auto in_flight = shared.next(0, {10}, unbounded, add); // its sender has to decide again
  shared.store = restarted(shared.store);
  CHECK(shared.store.exchange(applied).refusal == Error::not_joined);
  shared.join(0);
  CHECK(shared.store.exchange(applied).refusal == Error::stale);
  CHECK(shared.store.exchange(in_flight).refusal == Error::stale);
  CHECK(shared.values() == Floats{1});
  CHECK_FALSE(shared.waits(shared.next(0, {10}, unbounded, add)));
  CHECK(shared.values() == Floats{11});
  CHECK(shared.store.status().journal[0] == std::vector<std::uint64_t>{1, 1});
}

TEST_CASE("later pushes do not change what was saved", "[restart]") {
  RoundStore shared{1};
  const auto outer = named_rule("outer_nesterov");
  CHECK_FALSE(shared.waits(shared.next(0, {2}, unbounded, outer)));
  const auto saved = shared.store.save();
  const auto values = floats_of(saved.values), velocity = floats_of(saved.velocity);
  CHECK_FALSE(shared.waits(shared.next(0, {5}, unbounded, outer)));
  CHECK(floats_of(saved.values) == values);
  CHECK(floats_of(saved.velocity) == velocity);
  CHECK(shared.values() != values);
}

TEST_CASE(
  "a process whose number another one has taken is refused, and the other's push is applied",
  "[restart][L12]") {
  ParameterStore store;
  Layout layout;
  layout.add("w", {1});
  const auto join = [&](std::uint64_t process, bool is_reader = false) {
    auto join = join_of(0, layout);
    join.process = process;
    join.is_reader = is_reader;
    return store.join(join);
  };
  REQUIRE(join(11));
  REQUIRE(store.create_if_absent({0, block_of({1})}));
  REQUIRE(join(11)); // again, as after an outage
  const auto incarnation = join(22)->incarnation;
  const auto refused = join(11);
  REQUIRE_FALSE(refused);
  CHECK(refused.error() == Error::superseded);
  CHECK(sentence(refused.error())
        == "another process has joined as worker 0; give each its own --index");
  CHECK_THAT(sentence(join(11, true).error()), Contains("as reader 0; start one evaluator"));
  // cure: ; give each its own --index
  auto second = join_of(1, layout);
  second.process = 11;
  CHECK(store.join(second));
  // cure: ; start one evaluator, with the --workers of the others
  auto evaluator = join_of(2, layout);
  evaluator.process = 33;
  evaluator.is_reader = true;
  CHECK(store.join(evaluator));
  evaluator.worker = 0;
  CHECK_THAT(sentence(store.join(evaluator).error()),
             Contains("would take the place of worker 0, which has joined"));
  // cure: , which has joined; give it the same --workers as the others, and --master if they have
  // it
  evaluator.worker = 2;
  CHECK(store.join(evaluator));
  const auto pushed = store.exchange(
    {{0, incarnation, 1}, 0, named_rule("downpour"), unbounded, false, block_of({2})});
  CHECK_FALSE(pushed.refusal);
  CHECK(floats_of(store.pull()->values) == Floats{3});
}

TEST_CASE("a state is not restored once a worker has joined", "[restart]") {
  RoundStore shared{1, {4}};
  const auto saved = RoundStore{1, {7}}.store.save();
  const auto refused = shared.store.restore(saved);
  CHECK(refused == Error::already_running);
  CHECK_THAT(sentence(refused), Contains("before they do"));
  CHECK(shared.values() == Floats{4});
  shared.store.leave(0);
  CHECK(shared.store.restore(saved) == Error::already_running);
  // cure: have joined this holder already; restore a state before they do
  ParameterStore unused;
  CHECK_FALSE(unused.restore(saved));
}

TEST_CASE("an inconsistent saved state is refused and changes nothing", "[restart]") {
  const auto sound = RoundStore{1, {7, 8}}.store.save();
  ParameterStore store;
  const auto refused = [&](auto spoil) {
    auto saved = sound;
    spoil(saved);
    const auto error = store.restore(saved);
    CHECK(error == Error::shape_mismatch);
    CHECK_THAT(sentence(error), Contains("is inconsistent"));
    CHECK(store.pull().error() == Error::not_created);
  };
  refused([](auto& saved) { saved.values = block_of({1}); });
  refused([](auto& saved) { saved.values = {}; });
  refused([](auto& saved) { saved.velocity = block_of({1}); });
  refused([](auto& saved) { saved.versions.push_back(3); });
  refused([](auto& saved) { saved.layout = {}; });
  CHECK_FALSE(store.restore(sound));
  CHECK(floats_of(store.pull()->values) == Floats{7, 8});
}

TEST_CASE("a shard that keeps nothing is created and pushed to like any other", "[shards][L12]") {
  ParameterStore store;
  REQUIRE(store.join(join_of(0, {})));
  CHECK(store.pull().error() == Error::not_created);
  const auto created = store.create_if_absent({0, {}});
  REQUIRE(created);
  CHECK(created->created);
  CHECK(store.join(join_of(1, {}))->created);
  CHECK_FALSE(store.create_if_absent({1, {}})->created);
  for (const std::string rule : {"average", "easgd", "outer_nesterov"})
    for (auto staleness : {unbounded, in_step}) {
      const auto number = store.status().journal[1].back() + 1;
      const auto pushed
        = store.exchange({{1, 1, number}, 0, named_rule(rule), staleness, false, {}});
      REQUIRE_FALSE(pushed.refusal);
      store.leave(0);
      CHECK(store.settle().size() == (staleness.synchronous() ? 1 : 0));
    }
  CHECK(store.newer_than(5));
  CHECK(store.pull()->version == 6);
}
