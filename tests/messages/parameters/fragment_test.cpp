// Fragments of the shared parameters, and pushes of them.
#include "messages/parameters/fragment.hpp"
#include "messages/parameters/shard_map.hpp"
#include "model/update_rules/update_rule_kind.hpp"
#include "tests/support/round_store.hpp"

#include <numeric>
#include <random>

using namespace troupe;
using namespace troupe::test;

namespace {

Floats counted(std::size_t size, float from = 0) {
  Floats values(size);
  std::iota(values.begin(), values.end(), from);
  return values;
}

Push of_fragment(Push push, const Fragment& fragment) {
  push.fragment = fragment;
  push.values = part_of(push.values, fragment);
  return push;
}

} // namespace

TEST_CASE("the layout of a fragment names what it cuts", "[fragments]") {
  Layout layout;
  layout.add("w", {5, 4});
  layout.add("mean", {4}, ParameterRole::statistic);
  const auto cut = layout_of(layout, {16, 8});
  REQUIRE(cut.parameters().size() == 2);
  CHECK(cut.parameters()[0].name == "w[16:20)");
  CHECK(cut.parameters()[1].name == "mean");
  CHECK(cut.parameters()[1].role == ParameterRole::statistic);
  CHECK(cut.size() == 8);
  CHECK(layout_of(layout, {}).size() == 24);
}

TEST_CASE("a fragment lies in a block or not", "[fragments]") {
  CHECK(Fragment{}.lies_in(0));
  CHECK(Fragment{3, 7}.lies_in(10));
  CHECK(Fragment{10, 0}.lies_in(10));
  CHECK_FALSE(Fragment{3, 8}.lies_in(10));
  CHECK_FALSE(Fragment{-1, 2}.lies_in(10));
  CHECK_FALSE(Fragment{2, -3}.lies_in(10));
  CHECK_FALSE(Fragment{2, std::numeric_limits<Index>::max()}.lies_in(10));
}

TEST_CASE("shards keep a fragment between them, each in its own block", "[fragments][shards]") {
  std::mt19937 random{3};
  Layout layout;
  layout.add("w", {97});
  const auto whole = block_of(counted(97));
  for (int trial = 0; trial < 200; ++trial) {
    const ShardMap map{layout, 1 + random() % 5};
    const auto begin = static_cast<Index>(random() % 97);
    const Fragment fragment{begin, static_cast<Index>(random() % (98 - begin))};
    const auto block = part_of(whole, fragment);
    const auto within = map.within(fragment);
    std::vector<Block> parts;
    for (std::size_t shard = 0; shard < map.shards(); ++shard) {
      parts.push_back(within.part_of(block, shard));
      CHECK(parts.back() == part_of(map.part_of(whole, shard), map.fragment_at(shard, fragment)));
    }
    CHECK(within.joined(parts) == block);
  }
}

TEST_CASE("a push of a fragment leaves the other parameters as they are", "[fragments][store]") {
  RoundStore rounds{1, counted(6)};
  const auto push = of_fragment(rounds.next(0, Floats(6, 9), unbounded), {2, 3});
  const auto pushed = rounds.store.exchange(push);
  REQUIRE(pushed.answer);
  CHECK(floats_of(pushed.answer->values) == Floats{9, 9, 9});
  CHECK(rounds.values() == Floats{0, 1, 9, 9, 9, 5});
  const auto again = rounds.store.exchange(push);
  REQUIRE(again.answer);
  CHECK(floats_of(again.answer->values) == Floats{9, 9, 9});
}

TEST_CASE("fragments one after the other come to the same as all at once", "[fragments][store]") {
  const auto rule
    = GENERATE(as<std::string>{}, "average", "alpha_beta", "easgd", "downpour", "outer_nesterov");
  RoundStore whole{2, counted(5)}, parts{2, counted(5)};
  for (const auto from : {3.0f, 7.0f}) { // a rule may keep something from the first round
    for (WorkerId worker : {0, 1}) {
      whole.waits(whole.next(worker, counted(5, from + worker), in_step, named_rule(rule)));
    }
    const auto settled = whole.store.settle();
    for (const auto& fragment : {Fragment{0, 2}, Fragment{2, 3}}) {
      for (WorkerId worker : {0, 1})
        parts.waits(of_fragment(
          parts.next(worker, counted(5, from + worker), in_step, named_rule(rule)), fragment));
      const auto part = parts.store.settle();
      REQUIRE(part.size() == 2);
      CHECK(part[0].parameters.values == part_of(settled[0].parameters.values, fragment));
    }
    CHECK(parts.values() == whole.values());
  }
}

TEST_CASE("a round in which a worker is a fragment behind applies each to its own",
          "[fragments][store]") {
  RoundStore rounds{2, Floats(4, 0)};
  rounds.waits(of_fragment(rounds.next(0, Floats(4, 2)), {0, 2}));
  rounds.waits(of_fragment(rounds.next(1, Floats(4, 6)), {2, 2}));
  const auto settled = rounds.store.settle();
  REQUIRE(settled.size() == 2);
  CHECK(floats_of(settled[0].parameters.values) == Floats{2, 2});
  CHECK(floats_of(settled[1].parameters.values) == Floats{6, 6});
  CHECK(settled[0].parameters.version == settled[1].parameters.version); // the next is the same
  CHECK(rounds.values() == Floats{2, 2, 6, 6});
}

TEST_CASE("a worker too far ahead gets its fragment once the others have followed",
          "[fragments][store]") {
  RoundStore rounds{2, Floats(4, 0)};
  rounds.store.exchange(rounds.next(1, Floats(4, 0), Staleness{0 + 1}));
  REQUIRE(
    rounds.store.exchange(of_fragment(rounds.next(0, Floats(4, 1), Staleness{1}), {0, 2})).answer);
  REQUIRE(rounds.waits(of_fragment(rounds.next(0, Floats(4, 3), Staleness{1}), {2, 1})) == false);
  REQUIRE(rounds.waits(of_fragment(rounds.next(0, Floats(4, 5), Staleness{1}), {3, 1})));
  rounds.store.exchange(rounds.next(1, Floats(4, 7), Staleness{1}));
  const auto settled = rounds.store.settle();
  REQUIRE(settled.size() == 1);
  CHECK(settled[0].parameters.values.size() == 1);
}

TEST_CASE("a push that its fragment does not fit is refused", "[fragments][store]") {
  RoundStore rounds{1, Floats(4, 0)};
  auto push = rounds.next(0, Floats(4, 1), unbounded);
  push.fragment = {2, 3};
  auto refused = rounds.store.exchange(push);
  CHECK(refused.refusal == Error::shape_mismatch);
  push.fragment = {2, 2};
  refused = rounds.store.exchange(push);
  CHECK(refused.refusal == Error::shape_mismatch);
  CHECK(rounds.values() == Floats(4, 0));
}
