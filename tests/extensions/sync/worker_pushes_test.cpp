#include "extensions/sync/worker_pushes.hpp"

#include <catch2/catch.hpp>

#include <string>
#include <vector>

using namespace troupe;

namespace {

Block block_of(float value) { return Block::copy_of(std::vector<float>{value, value}); }

float first_number_of(const Block& block) { return block.view()[0]; }

/// The pushes of a worker of incarnation 5 that has taken version 3: all parameters are 1.
WorkerPushes started(const std::string& rule, Staleness staleness = {}, bool last_apart = true) {
  ParameterSyncOptions options;
  options.rule.name = rule;
  options.staleness = staleness;
  WorkerPushes pushes{options, last_apart};
  pushes.begin(5);
  pushes.take(3, block_of(1));
  return pushes;
}

Parameters answer(float residual, bool rejoined = false) {
  Parameters parameters;
  parameters.residual = block_of(residual);
  parameters.rejoined = rejoined;
  return parameters;
}

} // namespace

TEST_CASE("pushes of an incarnation are numbered from 1", "[worker_pushes]") {
  auto pushes = started("average");
  const auto first = pushes.next(2, block_of(4), false);
  CHECK(first.id.worker == 2);
  CHECK(first.id.incarnation == 5);
  CHECK(first.id.number == 1);
  CHECK(first.based_on == 3);
  CHECK(pushes.next(2, block_of(4), false).id.number == 2);
  pushes.begin(6);
  CHECK(pushes.next(2, block_of(4), false).id.number == 1);
}

TEST_CASE("a push has the parameters, or what has changed since the last sync", "[worker_pushes]") {
  CHECK(first_number_of(started("average").next(0, block_of(4), false).values) == 4);
  CHECK(first_number_of(started("downpour").next(0, block_of(4), false).values) == 3);
}

TEST_CASE("an unanswered push of steps is repeated as it was, before later changes",
          "[worker_pushes]") {
  auto pushes = started("downpour");
  pushes.next(0, block_of(4), false);
  CHECK_FALSE(pushes.must_repeat());
  pushes.unanswered(block_of(4), true);
  REQUIRE(pushes.must_repeat());
  const auto repeated = pushes.repeated(0);
  CHECK(repeated.id.number == 1);
  CHECK(first_number_of(repeated.values) == 3);
  auto added = answer(0);
  CHECK(pushes.repeated_answered(added));
  CHECK_FALSE(pushes.must_repeat());
  const auto next = pushes.next(0, block_of(6), false);
  CHECK(next.id.number == 2);
  CHECK(first_number_of(next.values) == 2);
}

TEST_CASE("a repeated push that was refused is dropped", "[worker_pushes]") {
  auto pushes = started("downpour");
  pushes.next(0, block_of(4), false);
  pushes.unanswered(block_of(4), true);
  auto refused = answer(0, true);
  CHECK_FALSE(pushes.repeated_answered(refused));
  CHECK_FALSE(pushes.must_repeat());
}

TEST_CASE("a push that cannot have arrived, or is contained in the next, is not repeated",
          "[worker_pushes]") {
  auto steps = started("downpour");
  steps.next(0, block_of(4), false);
  steps.unanswered(block_of(4), false);
  CHECK_FALSE(steps.must_repeat());
  steps.unanswered(block_of(4), true);
  steps.repeated_unanswered(true);
  CHECK(steps.must_repeat());
  steps.repeated_unanswered(false);
  CHECK_FALSE(steps.must_repeat());
  auto whole = started("average");
  whole.next(0, block_of(4), false);
  whole.unanswered(block_of(4), true);
  CHECK_FALSE(whole.must_repeat());
}

TEST_CASE("what a format has left out is part of the next push", "[worker_pushes]") {
  auto pushes = started("downpour");
  auto settled = answer(0.5F);
  pushes.answered(settled, false);
  CHECK(first_number_of(pushes.next(0, block_of(4), false).residual) == 0.5F);
  auto refused = answer(9, true);
  pushes.answered(refused, false);
  CHECK(first_number_of(pushes.next(0, block_of(4), false).residual) == 0.5F);
  auto last = answer(9);
  pushes.answered(last, true);
  CHECK(pushes.next(0, block_of(4), false).residual.empty());
}

TEST_CASE("a last push of steps waits for a round only where all workers end together",
          "[worker_pushes]") {
  const auto in_rounds = Staleness{0};
  REQUIRE(in_rounds.synchronous());
  const auto rounds_of_last = [&](const std::string& rule, bool apart) {
    return started(rule, in_rounds, apart).next(0, block_of(4), true).staleness.synchronous();
  };
  CHECK_FALSE(rounds_of_last("downpour", true));
  CHECK(rounds_of_last("downpour", false));
  CHECK(rounds_of_last("average", true));
}

TEST_CASE("pushes continue from a saved state", "[worker_pushes]") {
  auto pushes = started("downpour");
  auto settled = answer(0.5F);
  pushes.answered(settled, false);
  SavedFields state;
  pushes.save(state, true);
  ParameterSyncOptions options;
  options.rule.name = "downpour";
  WorkerPushes restored{options, false};
  restored.restore(state);
  const auto push = restored.next(0, block_of(4), false);
  CHECK(push.based_on == 3);
  CHECK(first_number_of(push.values) == 3);
  CHECK(first_number_of(push.residual) == 0.5F);
}

TEST_CASE("each fragment has a base and a residual of its own, which are saved",
          "[worker_pushes]") {
  Layout layout;
  layout.add("w", {20});
  ParameterSyncOptions options;
  options.rule.name = "downpour";
  const auto fresh = [&] { return WorkerPushes{options, true, {layout, 2, false}}; };
  auto pushes = fresh();
  pushes.begin(5);
  pushes.begin_with(2, Block::copy_of(std::vector<float>(20, 1)));
  const auto first = pushes.next(0, Block::copy_of(std::vector<float>(16, 5)), false);
  CHECK(first.fragment == Fragment{0, 16});
  CHECK(first_number_of(first.values) == 4);
  auto settled = Parameters{};
  settled.residual = Block::copy_of(std::vector<float>(16, 0.5F));
  pushes.answered(settled, false);
  pushes.take(4, Block::copy_of(std::vector<float>(16, 7)));

  SavedFields state;
  pushes.save(state, true);
  auto restored = fresh();
  restored.begin(6);
  restored.restore(state);
  const auto second = restored.next(0, Block::copy_of(std::vector<float>(4, 5)), false);
  CHECK(second.fragment == Fragment{16, 4});
  CHECK(first_number_of(second.values) == 4);   // its base is the one it began with
  CHECK(first_number_of(second.residual) == 0); // nothing, as long as what another one left out
  auto exact = Parameters{};
  restored.answered(exact, false);
  restored.take(5, Block::copy_of(std::vector<float>(4, 7)));
  const auto third = restored.next(0, Block::copy_of(std::vector<float>(16, 9)), false);
  CHECK(third.fragment == Fragment{0, 16});
  CHECK(first_number_of(third.values) == 2);
  CHECK(first_number_of(third.residual) == 0.5F);
}

TEST_CASE("pushes continue with another number of fragments", "[worker_pushes]") {
  Layout layout;
  layout.add("w", {40});
  ParameterSyncOptions options;
  options.rule.name = "downpour";
  const auto before = GENERATE(1u, 2u, 3u), after = GENERATE(1u, 2u, 3u);
  WorkerPushes pushes{options, true, {layout, before, false}};
  std::vector<float> base(40);
  for (std::size_t i = 0; i < base.size(); ++i)
    base[i] = static_cast<float>(i);
  pushes.begin_with(3, Block::copy_of(base));
  SavedFields state;
  pushes.save(state, true);
  WorkerPushes restored{options, true, {layout, after, false}};
  restored.restore(state);
  const auto zeros = part_of(Block{40}, restored.fragment());
  const auto push = restored.next(0, zeros, false);
  CHECK(first_number_of(push.values) == -static_cast<float>(push.fragment.begin));
}

TEST_CASE("what a push in flight may have brought is not saved to be sent again",
          "[worker_pushes]") {
  auto pushes = started("downpour");
  auto settled = answer(0.5F);
  pushes.answered(settled, false);
  pushes.next(0, block_of(4), false);
  SavedFields state;
  pushes.save(state, false);
  CHECK(state.empty());
}

TEST_CASE("without the holder only what a format has left out is saved", "[worker_pushes]") {
  auto pushes = started("downpour");
  auto settled = answer(0.5F);
  pushes.answered(settled, false);
  SavedFields state;
  pushes.save(state, false);
  CHECK(state.size() == 1);
  CHECK(state.contains("residual"));
}

TEST_CASE("a push names what its worker has received, if a format leaves something out",
          "[worker_pushes]") {
  auto pushes = started("downpour");
  CHECK(pushes.next(0, block_of(4), false).received.empty());
  auto settled = answer(0.5F);
  settled.values = block_of(2);
  pushes.answered(settled, false);
  CHECK(pushes.next(0, block_of(4), false).received == block_of(2));
  SavedFields state;
  pushes.save(state, true);
  auto restored = started("downpour");
  restored.restore(state);
  CHECK(restored.next(0, block_of(4), false).received == block_of(2));

  auto exact = answer(0);
  exact.values = block_of(2);
  exact.residual = Block{};
  pushes.answered(exact, false);
  CHECK(pushes.next(0, block_of(4), false).received.empty());
}

TEST_CASE("a worker that begins with other parameters has received nothing", "[worker_pushes]") {
  auto pushes = started("downpour");
  auto settled = answer(0.5F);
  settled.values = block_of(2);
  pushes.answered(settled, false);
  pushes.begin_with(7, block_of(7));
  const auto push = pushes.next(0, block_of(9), false);
  CHECK(push.received.empty());
  CHECK(push.based_on == 7);
  CHECK(first_number_of(push.values) == 2);
}
