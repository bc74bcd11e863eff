#include "messages/parameters/parameter_store.hpp"
#include "tests/support/holder_checks.hpp"

#include <cmath>
#include <limits>
#include <numeric>
#include <random>

using namespace troupe;
using namespace troupe::test;
using Catch::Contains;

namespace {

Layout layout_of(std::vector<std::pair<std::string, Shape>> parameters) {
  Layout layout;
  for (auto& [name, shape] : parameters)
    layout.add(name, shape);
  return layout;
}

/// A store of "w" [2, 3] and "b" [3], joined by worker 0, with the values 0, 1, 2, ...
struct Shared {
  Shared() {
    incarnation = store.join(join_of(0, layout))->incarnation;
    std::vector<float> values(9);
    std::iota(values.begin(), values.end(), 0.0f);
    REQUIRE(store.create_if_absent({0, block_of(values)}));
  }

  Push push(std::uint64_t number, std::vector<float> values, Weights weights = {0.5f, 0.5f},
            Version based_on = 0) const {
    return {{0, incarnation, number},   based_on, rule_of(weights), {}, false,
            block_of(std::move(values))};
  }
  PushPart part(std::uint64_t number, Selection selection, std::vector<float> values,
                Weights weights = {0, 1}) const {
    return {{0, incarnation, number}, weights, std::move(selection), block_of(std::move(values))};
  }
  std::vector<float> values() const { return floats_of(store.pull()->values); }

  Layout layout = layout_of({{"w", {2, 3}}, {"b", {3}}});
  ParameterStore store;
  std::uint64_t incarnation = 0;
};

caf::expected<Applied> pushed(ParameterStore& store, const Push& push) {
  const auto done = store.exchange(push);
  REQUIRE_FALSE(done.waits());
  if (done.refusal)
    return done.refusal;
  return store.last_applied(push.id.worker);
}

template <class T>
std::string sentence_of(const caf::expected<T>& result) {
  REQUIRE_FALSE(result);
  return sentence(result.error());
}

} // namespace

TEST_CASE("a push averages, replaces or adds, according to its weights", "[parameter_store][L1]") {
  ParameterStore store;
  store.join(join_of(0, layout_of({{"s", {1}}})));
  store.create_if_absent({0, block_of({10})});
  REQUIRE(pushed(store, {{0, 1, 1}, 0, rule_of({0.5f, 0.5f}), {}, false, block_of({20})}));
  CHECK(floats_of(store.pull()->values) == std::vector<float>{15});
  REQUIRE(pushed(store, {{0, 1, 2}, 1, rule_of({1, 0.1f}), {}, false, block_of({5})}));
  CHECK(floats_of(store.pull()->values) == std::vector<float>{15.5f});
  REQUIRE(pushed(store, {{0, 1, 3}, 2, rule_of({0, 1}), {}, false, block_of({7})}));
  CHECK(floats_of(store.pull()->values) == std::vector<float>{7});
}

TEST_CASE("weights that are not finite are refused and change nothing", "[parameter_store][L1]") {
  Shared shared;
  const auto before = shared.values();
  const float nan = std::nanf(""), infinite = std::numeric_limits<float>::infinity();
  CHECK_THAT(sentence_of(pushed(shared.store, shared.push(1, before, {nan, 1}))),
             Contains("finite numbers"));
  CHECK_THAT(sentence_of(pushed(shared.store, shared.push(1, before, {1, infinite}))),
             Contains("finite numbers"));
  CHECK(shared.values() == before);
  CHECK(shared.store.status().pushes == 0);
}

TEST_CASE("updates are counted, for the whole and for each parameter", "[parameter_store][L1]") {
  Shared shared;
  REQUIRE(pushed(shared.store, shared.push(1, shared.values())));
  REQUIRE(shared.store.push_part(shared.part(2, {"b", {}, {}}, {1, 2, 3})));
  const auto status = shared.store.status();
  CHECK(status.version == 2);
  CHECK(status.pushes == 2);
  CHECK(status.versions == std::map<std::string, Version>{{"w", 1}, {"b", 2}});
  CHECK(shared.store.pull_part({"b", {}, {}})->version == 2);
  CHECK(shared.store.pull_part({"w", {}, {}})->version == 1);
}

TEST_CASE("all workers get the first creator's values", "[parameter_store][L2]") {
  Shared shared;
  shared.store.join(join_of(1, shared.layout));
  const auto settled = shared.store.create_if_absent({1, block_of({9, 9, 9, 9, 9, 9, 9, 9, 9})});
  REQUIRE(settled);
  CHECK(floats_of(settled->values) == shared.values());
}

TEST_CASE("a late worker gets the current values", "[parameter_store][L2]") {
  Shared shared;
  REQUIRE(pushed(shared.store, shared.push(1, std::vector<float>(9, 4.0f), {0, 1})));
  const auto joined = shared.store.join(join_of(1, shared.layout));
  REQUIRE(joined);
  CHECK(joined->created);
  const auto settled = shared.store.create_if_absent({1, Block{9}});
  REQUIRE(settled);
  CHECK(floats_of(settled->values) == std::vector<float>(9, 4.0f));
  CHECK(settled->version == 1);
}

TEST_CASE("nothing is pulled or pushed before it was created", "[parameter_store][L3]") {
  ParameterStore store;
  CHECK(store.pull().error() == Error::not_created);
  CHECK(store.pull_part({"w", {}, {}}).error() == Error::not_created);
  store.join(join_of(0, layout_of({{"w", {1}}})));
  CHECK_FALSE(store.join(join_of(1, layout_of({{"w", {1}}})))->created);
  CHECK(pushed(store, {{0, 1, 1}, 0, rule_of({}), {}, false, block_of({1})}).error()
        == Error::not_created);
  CHECK(store.create_if_absent({0, block_of({1, 2})}).error() == Error::shape_mismatch);
  CHECK(store.pull().error() == Error::not_created);
}

TEST_CASE("a push of another size is refused and changes nothing", "[parameter_store][L4]") {
  Shared shared;
  const auto before = shared.values();
  const auto refused = pushed(shared.store, shared.push(1, {1, 2, 3}));
  CHECK(refused.error() == Error::shape_mismatch);
  CHECK_THAT(sentence_of(refused), Contains("pushes 3 parameters, the model has 9"));
  CHECK(shared.values() == before);
  CHECK(pushed(shared.store, shared.push(1, before)));
}

TEST_CASE("a partial push changes the selected rows and columns only", "[parameter_store][L5]") {
  Shared shared;
  const Selection corner{"w", {{1}, {0, 2}}, {}};
  REQUIRE(shared.store.push_part(shared.part(1, corner, {30, 50}, {0.5f, 0.5f})));
  CHECK(shared.values() == std::vector<float>{0, 1, 2, 16.5f, 4, 27.5f, 6, 7, 8});
  const auto pulled = shared.store.pull_part(corner);
  REQUIRE(pulled);
  CHECK(pulled->shape == Shape{1, 2});
  CHECK(floats_of(pulled->values) == std::vector<float>{16.5f, 27.5f});
}

TEST_CASE("any push, of all or of a part, renews the lease", "[parameter_store][lease][L5]") {
  Shared shared;
  auto join = join_of(0, shared.layout);
  join.lease = 1;
  shared.incarnation = shared.store.join(join)->incarnation;
  REQUIRE_FALSE(shared.store.exchange(shared.push(1, shared.values()), 1.5).refusal);
  CHECK(shared.store.expire(3.4).empty());
  REQUIRE(shared.store.push_part(shared.part(2, {"b", {}, {}}, {1, 2, 3}), 3.4));
  CHECK(shared.store.expire(5.3).empty());
}

TEST_CASE("single elements are named by their indices", "[parameter_store][L6]") {
  Shared shared;
  const Selection elements{"w", {}, {{1, 2}, {0, 0}}};
  CHECK(floats_of(shared.store.pull_part(elements)->values) == std::vector<float>{5, 0});
  REQUIRE(shared.store.push_part(shared.part(1, elements, {50, 10})));
  CHECK(shared.values() == std::vector<float>{10, 1, 2, 3, 4, 50, 6, 7, 8});
}

TEST_CASE("random selections do what a dense array would", "[parameter_store][L5][L6]") {
  std::mt19937 random{11};
  const Shape shape{4, 3, 5};
  ParameterStore store;
  store.join(join_of(0, layout_of({{"front", {2}}, {"t", shape}, {"back", {2}}})));
  std::vector<float> dense(64);
  for (auto& x : dense)
    x = static_cast<float>(random() % 1000);
  REQUIRE(store.create_if_absent({0, block_of(dense)}));
  for (std::uint64_t number = 1; number <= 200; ++number) {
    Selection selection{"t", {}, {}};
    std::vector<std::size_t> places; // as a reader of the documentation would expect
    std::vector<std::vector<Index>> axes;
    for (auto size : shape) {
      std::vector<Index> all(static_cast<std::size_t>(size));
      std::iota(all.begin(), all.end(), Index{0});
      std::shuffle(all.begin(), all.end(), random);
      all.resize(1 + random() % all.size());
      axes.push_back(all);
    }
    for (auto i : axes[0])
      for (auto j : axes[1])
        for (auto k : axes[2]) {
          places.push_back(static_cast<std::size_t>(2 + (i * 3 + j) * 5 + k));
          if (number % 2 == 0)
            selection.elements.push_back({i, j, k});
        }
    if (number % 2 == 1)
      selection.axes = axes;
    std::vector<float> pushed(places.size());
    for (std::size_t i = 0; i < places.size(); ++i) {
      pushed[i] = static_cast<float>(random() % 1000);
      dense[places[i]] = 0.25f * dense[places[i]] + 2.0f * pushed[i];
    }
    REQUIRE(store.push_part({{0, 1, number}, {0.25f, 2.0f}, selection, block_of(pushed)}));
    REQUIRE(floats_of(store.pull()->values) == dense);
    std::vector<float> part;
    for (auto place : places)
      part.push_back(dense[place]);
    REQUIRE(floats_of(store.pull_part(selection)->values) == part);
  }
}

TEST_CASE("invalid selections are refused with a sentence", "[parameter_store][L3][L5][L6]") {
  Shared shared;
  const auto before = shared.values();
  const auto refusal = [&shared](const Selection& selection) {
    const auto pulled = sentence_of(shared.store.pull_part(selection));
    CHECK(sentence_of(shared.store.push_part(shared.part(1, selection, {1}))) == pulled);
    return pulled;
  };
  CHECK_THAT(refusal({"c", {}, {}}), Contains("no parameter 'c'"));
  CHECK_THAT(refusal({"w", {{2}, {0}}, {}}), Contains("index 2 on axis 0") && Contains("0 .. 1"));
  CHECK_THAT(refusal({"w", {{0}, {-1}}, {}}), Contains("index -1 on axis 1"));
  CHECK_THAT(refusal({"w", {{0, 0}, {0}}, {}}), Contains("given twice"));
  CHECK_THAT(refusal({"w", {{0}}, {}}), Contains("2 axes"));
  // cure: axes; give one list of indices for each, not
  CHECK(shared.store.pull_part({"w", {{0}, {1, 2}}, {}}));
  CHECK_THAT(refusal({"w", {{0}, {}}, {}}), Contains("no index on axis 1"));
  CHECK_THAT(refusal({"w", {}, {{0, 0}, {0, 0}}}), Contains("twice"));
  CHECK_THAT(refusal({"w", {}, {{0}}}), Contains("2 indices, not 1"));
  CHECK_THAT(refusal({"w", {}, {{0, 3}}}), Contains("index 3 on axis 1"));
  CHECK_THAT(refusal({"w", {{0}, {0}}, {{0, 0}}}), Contains("one of the two"));
  // cure: ' names axes and elements; give one of the two
  CHECK(shared.store.pull_part({"w", {{0}, {0}}, {}}));
  CHECK(shared.store.pull_part({"w", {}, {{0, 0}}}));
  CHECK(shared.store.push_part(shared.part(1, {"b", {}, {}}, {1})).error()
        == Error::shape_mismatch);
  CHECK(shared.values() == before);
}

TEST_CASE("a push that is repeated is applied once and answered alike", "[parameter_store][L4]") {
  Shared shared;
  const auto push = shared.push(1, std::vector<float>(9, 1.0f), {1, 1});
  const auto first = pushed(shared.store, push);
  const auto values = shared.values();
  const auto second = pushed(shared.store, push);
  REQUIRE(first);
  REQUIRE(second);
  CHECK(*first == *second);
  CHECK(shared.values() == values);
  CHECK(shared.store.status().pushes == 1);
}

TEST_CASE("a push older than the last one is refused", "[parameter_store][L4]") {
  Shared shared;
  REQUIRE(pushed(shared.store, shared.push(1, shared.values())));
  REQUIRE(pushed(shared.store, shared.push(2, shared.values())));
  CHECK(pushed(shared.store, shared.push(1, shared.values())).error() == Error::stale);
  CHECK(pushed(shared.store, shared.push(0, shared.values())).error() == Error::stale);
}

TEST_CASE("a push of an earlier incarnation is refused", "[parameter_store][L9]") {
  Shared shared;
  const auto old = shared.push(1, shared.values());
  shared.incarnation = shared.store.join(join_of(0, shared.layout))->incarnation;
  CHECK(shared.incarnation == 2);
  CHECK(pushed(shared.store, old).error() == Error::stale);
  CHECK(pushed(shared.store, shared.push(1, shared.values())));
}

TEST_CASE("staleness is the number of versions between", "[parameter_store]") {
  Shared shared;
  REQUIRE(pushed(shared.store, shared.push(1, shared.values())));
  REQUIRE(pushed(shared.store, shared.push(2, shared.values(), {}, 1)));
  const auto applied = pushed(shared.store, shared.push(3, shared.values(), {}, 0));
  REQUIRE(applied);
  CHECK(*applied == Applied{3, 2});
}

TEST_CASE("an exchange is a push and a pull", "[parameter_store][L10]") {
  Shared one, two;
  const auto push = one.push(1, std::vector<float>(9, 1.0f), {0.75f, 0.25f});
  const auto exchanged = one.store.exchange(push).answer;
  REQUIRE(pushed(two.store, push));
  const auto pulled = two.store.pull();
  REQUIRE(exchanged);
  CHECK(exchanged->values == pulled->values);
  CHECK(exchanged->version == pulled->version);
}

TEST_CASE("values that were pulled never change under the reader", "[parameter_store]") {
  Shared shared;
  const auto pulled = shared.store.pull()->values;
  const auto before = floats_of(pulled);
  REQUIRE(pushed(shared.store, shared.push(1, std::vector<float>(9, 1.0f))));
  REQUIRE(shared.store.push_part(shared.part(2, {"b", {}, {}}, {1, 1, 1})));
  CHECK(floats_of(pulled) == before);
  CHECK(shared.values() != before);
}

TEST_CASE("a worker with another model or protocol is refused", "[parameter_store][L12]") {
  Shared shared;
  const auto join = [&shared](const Layout& layout, std::uint32_t protocol = protocol_version) {
    auto join = join_of(1, layout);
    join.protocol = protocol;
    return sentence_of(shared.store.join(join));
  };
  CHECK_THAT(join(layout_of({{"w", {2, 3}}})), Contains("'b'"));
  CHECK_THAT(join(layout_of({{"w", {3, 2}}, {"b", {3}}})), Contains("[3, 2]") && Contains("'w'"));
  CHECK_THAT(join(layout_of({{"v", {2, 3}}, {"b", {3}}})), Contains("'v'"));
  CHECK_THAT(join(shared.layout, protocol_version + 1), Contains("protocol"));
  auto leased = join_of(1, shared.layout);
  leased.lease = 3601;
  CHECK_THAT(sentence_of(shared.store.join(leased)), Contains("a time from 0 to 3600 s"));
  CHECK(shared.store.status().workers == std::vector<WorkerId>{0});
  // cure: ; give all workers one configuration
  // cure: ; use the same version of Troupe on all nodes
  CHECK(shared.store.join(join_of(1, shared.layout)));
  // cure: s; give a time from 0 to 3600 s
  for (const auto lease : {0.0, 3600.0}) {
    leased.lease = lease;
    CHECK(shared.store.join(leased));
  }
}

TEST_CASE("a layout with one name for two parameters is refused, and not adopted",
          "[parameter_store][L12]") {
  auto twins = layout_of({{"w", {2, 3}}, {"b", {3}}});
  twins.with_fields([](auto& parameters, auto&) { parameters[1].name = parameters[0].name; });
  ParameterStore store;
  const auto refused = store.join(join_of(0, twins));
  REQUIRE_FALSE(refused);
  CHECK(refused.error() == Error::invalid_options);
  CHECK_THAT(sentence(refused.error()), Contains("worker 0") && Contains("'w'"));
  CHECK(store.status().workers.empty());
  CHECK(store.join(join_of(0, layout_of({{"w", {2, 3}}, {"b", {3}}}))));
}

TEST_CASE("a worker that has not joined, or has left, neither creates nor pushes",
          "[parameter_store][L12]") {
  Shared shared;
  CHECK(shared.store.create_if_absent({7, Block{9}}).error() == Error::not_joined);
  shared.store.leave(0);
  CHECK(shared.store.status().workers.empty());
  CHECK(pushed(shared.store, shared.push(1, shared.values())).error() == Error::not_joined);
  CHECK(shared.store.create_if_absent({0, Block{9}}).error() == Error::not_joined);
}

TEST_CASE("a worker by a rule that the holder does not know is refused when it joins",
          "[parameter_store][rules]") {
  ParameterStore store;
  Layout layout;
  layout.add("w", {1});
  auto join = join_of(3, layout);
  join.rule = {"averge"};
  const auto refused = store.join(join);
  REQUIRE_FALSE(refused);
  CHECK(refused.error() == Error::invalid_options);
  CHECK_THAT(sentence(refused.error()),
             Contains("worker 3 joins a holder that cannot apply its rule")
               && Contains("'averge' is not known here") && Contains("did you mean 'average'?")
               && Contains("known: alpha_beta, average")
               && Contains("give all processes one configuration, with the plugin that has"));
  join.is_reader = true; // it never pushes
  CHECK(store.join(join));
  join.is_reader = false;
  join.rule = {"easgd", {{"elasticity", 2.0f}}};
  CHECK_FALSE(store.join(join));
  // cure: ; give all processes one configuration, with the plugin that has the rule
  join.rule = {"average"};
  CHECK(store.join(join));
}
