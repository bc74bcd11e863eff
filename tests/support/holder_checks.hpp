// Checks for any parameter holder, wherever it runs. A `World` has `ask<Answer>(holder, request)`:
// DeterministicSystem here, a real actor system for a holder on another node.
#pragma once

#include "messages/parameters/parameters.hpp"
#include "messages/requests/error.hpp"

#include <caf/expected.hpp>
#include <catch2/catch.hpp>

#include <functional>
#include <vector>

namespace troupe::test {

inline constexpr Staleness in_step{0}, unbounded{};

inline Layout holder_layout() {
  Layout layout;
  layout.add("w", {5, 4});
  layout.add("b", {4});
  return layout;
}

inline Block block_of(const std::vector<float>& values) { return Block::copy_of(values); }
inline Block constant(float value) { return block_of(std::vector<float>(24, value)); }

inline std::vector<float> floats_of(const Block& block) {
  const auto view = block.view();
  return {view.begin(), view.end()};
}

inline Join join_of(WorkerId worker, Layout layout) {
  Join join;
  join.worker = worker;
  join.layout = std::move(layout);
  return join;
}

inline UpdateRule rule_of(Weights weights) {
  UpdateRule rule;
  rule.settings = {{"alpha", weights.alpha}, {"beta", weights.beta}};
  return rule;
}

/// A worker's requests to a holder. `World` has `ask<Answer>(actor, request)`.
template <class World>
class HolderClient {
public:
  HolderClient(World& world, ParameterHolder holder, WorkerId worker = 0)
    : world_(world),
      holder_(std::move(holder)),
      worker_(worker) {}

  template <class Answer, class Request>
  caf::expected<Answer> ask(const Request& request) {
    return world_.template ask<Answer>(holder_, request);
  }

  void join() {
    const auto joined = ask<Joined>(join_of(worker_, holder_layout()));
    REQUIRE(joined);
    incarnation_ = joined->incarnation;
    number_ = 0;
  }
  Block create(float value) {
    const auto settled = ask<Parameters>(CreateIfAbsent{worker_, constant(value)});
    REQUIRE(settled);
    return settled->values;
  }
  Parameters pull() {
    const auto pulled = ask<Parameters>(Pull{worker_});
    REQUIRE(pulled);
    return *pulled;
  }
  Push next_push(Weights weights, Block values) {
    return {{worker_, incarnation_, ++number_}, 0, rule_of(weights), {}, false, std::move(values)};
  }
  /// A push that waits for those of all others.
  Push next_push_in_round(Weights weights, Block values) {
    auto push = next_push(weights, std::move(values));
    push.staleness = in_step;
    return push;
  }
  PushPart next_part(Weights weights, Selection selection, Block values) {
    return {{worker_, incarnation_, ++number_}, weights, std::move(selection), std::move(values)};
  }

private:
  World& world_;
  ParameterHolder holder_;
  WorkerId worker_;
  std::uint64_t incarnation_ = 0, number_ = 0;
};

template <class World>
void check_update_rule(World& world, const ParameterHolder& holder) {
  HolderClient client{world, holder};
  client.join();
  client.create(10);
  REQUIRE(client.template ask<Applied>(client.next_push({0.5f, 0.5f}, constant(20))));
  CHECK(client.pull().values == constant(15));
  REQUIRE(client.template ask<Applied>(client.next_push({1, 0.1f}, constant(5))));
  CHECK(client.pull().values == constant(15.5f));
  CHECK(client.pull().version == 2);
}

template <class World>
void check_partial_update(World& world, const ParameterHolder& holder) {
  HolderClient client{world, holder};
  client.join();
  client.create(1);
  const Selection corner{"w", {{0, 2, 4}, {1, 2, 3}}, {}};
  const auto push = client.next_part({0, 1}, corner, block_of(std::vector<float>(9, 7.0f)));
  REQUIRE(client.template ask<Applied>(push));
  auto expected = std::vector<float>(24, 1.0f);
  for (auto row : {0, 2, 4})
    for (auto column : {1, 2, 3})
      expected[static_cast<std::size_t>(row * 4 + column)] = 7;
  CHECK(floats_of(client.pull().values) == expected);
  const Selection elements{"b", {}, {{3}, {0}}};
  REQUIRE(client.template ask<Applied>(client.next_part({1, 1}, elements, block_of({5, 6}))));
  const auto part = client.template ask<Part>(PullPart{0, {"b", {}, {}}});
  REQUIRE(part);
  CHECK(floats_of(part->values) == std::vector<float>{7, 1, 1, 6});
  CHECK(part->shape == Shape{4});
  const auto status = client.template ask<HolderStatus>(GetHolderStatus{});
  REQUIRE(status);
  CHECK(status->versions == std::map<std::string, Version>{{"w", 1}, {"b", 1}});
}

/// Invalid requests are answered with an error, and the holder continues.
template <class World>
void check_refusals(World& world, const ParameterHolder& holder) {
  HolderClient client{world, holder};
  const auto code
    = [&](const auto& expected) { return expected ? caf::error{} : expected.error(); };
  CHECK_FALSE(client.template ask<Parameters>(Pull{0})); // neither created nor joined
  client.join();
  CHECK(code(client.template ask<Parameters>(Pull{0})) == Error::not_created);
  CHECK(code(client.template ask<Parameters>(CreateIfAbsent{0, Block{3}}))
        == Error::shape_mismatch);
  client.create(1);
  CHECK(code(client.template ask<Part>(PullPart{0, {"x", {}, {}}})) == Error::unknown_name);
  CHECK(code(client.template ask<Part>(PullPart{0, {"w", {{9}, {0}}, {}}}))
        == Error::shape_mismatch);
  auto push = client.next_push({}, Block{3});
  CHECK(code(client.template ask<Applied>(push)) == Error::shape_mismatch);
  CHECK(code(client.template ask<Parameters>(Exchange{push})) == Error::shape_mismatch);
  push.id.incarnation = 77;
  CHECK(code(client.template ask<Applied>(push)) == Error::stale);
  push.id.worker = 5;
  CHECK(code(client.template ask<Applied>(push)) == Error::not_joined);
  Layout other;
  other.add("w", {4, 5});
  CHECK(code(client.template ask<Joined>(join_of(1, other))) == Error::shape_mismatch);
  CHECK(client.pull().values == constant(1));
}

/// A push whose answer was lost is sent again.
template <class World>
void check_repeated_push(World& world, const ParameterHolder& holder) {
  HolderClient client{world, holder};
  client.join();
  client.create(1);
  const auto push = client.next_push({1, 1}, constant(1));
  const auto first = client.template ask<Applied>(push);
  const auto second = client.template ask<Applied>(push);
  REQUIRE(first);
  REQUIRE(second);
  CHECK(*first == *second);
  CHECK(client.pull().values == constant(2));
  const auto exchange = Exchange{client.next_push({1, 1}, constant(1))};
  REQUIRE(client.template ask<Parameters>(exchange));
  const auto again = client.template ask<Parameters>(exchange);
  REQUIRE(again);
  CHECK(again->values == constant(3));
}

/// A worker that comes back gets the newest values, and its old pushes are refused.
template <class World>
void check_return_of_a_worker(World& world, const ParameterHolder& holder) {
  HolderClient client{world, holder};
  client.join();
  client.create(1);
  const auto old = client.next_push({0, 1}, constant(9));
  REQUIRE(client.template ask<Applied>(client.next_push({0, 1}, constant(4))));
  client.join();
  CHECK(client.create(0) == constant(4));
  CHECK_FALSE(client.template ask<Applied>(old));
  CHECK(client.pull().values == constant(4));
  CHECK(client.template ask<Applied>(client.next_push({0, 1}, constant(5))));
}

/// All checks; `fresh` makes a holder without parameters.
template <class World>
void check_holder(World& world, const std::function<ParameterHolder()>& fresh) {
  check_update_rule(world, fresh());
  check_partial_update(world, fresh());
  check_refusals(world, fresh());
  check_repeated_push(world, fresh());
  check_return_of_a_worker(world, fresh());
}

} // namespace troupe::test
