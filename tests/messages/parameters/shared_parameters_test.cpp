#include "messages/parameters/shared_parameters.hpp"
#include "tests/support/holder_checks.hpp"

using namespace troupe;
using namespace troupe::test;

namespace {

SharedParameters shared_of(float value) {
  SharedParameters shared;
  shared.adopt(holder_layout());
  shared.create(constant(value));
  return shared;
}

PushPart part_of_b(Weights weights, const std::vector<float>& values) {
  PushPart push;
  push.weights = weights;
  push.selection = {"b", {}, {}};
  push.values = block_of(values);
  return push;
}

} // namespace

TEST_CASE("the first layout is the layout of all", "[parameter_store][L12]") {
  SharedParameters shared;
  CHECK(shared.adopt(holder_layout()).empty());
  CHECK(shared.adopt(holder_layout()).empty());
  Layout other;
  other.add("w", {5, 4});
  CHECK_FALSE(shared.adopt(other).empty());
  CHECK(shared.layout().size() == 24);
  CHECK(shared.check_created() == Error::not_created);
  CHECK(shared.part({"b", {}, {}}).error() == Error::not_created);
}

TEST_CASE("an update changes trained parameters, and averages measured ones", "[parameter_store]") {
  SharedParameters shared;
  Layout layout;
  layout.add("w", {1});
  layout.add("w_variance", {1}, ParameterRole::statistic);
  shared.adopt(layout);
  shared.create(block_of({8, 1}));
  UpdateRule outer;
  outer.name = "outer_nesterov";
  outer.settings = {{"outer_rate", 0.5f}, {"outer_momentum", 0.5f}};
  std::vector<Block> contributions{block_of({3, 0}), block_of({5, 0.25f})};
  CHECK(shared.update(outer, contributions) == block_of({5, 0.125f}));
}

TEST_CASE("an update counts for all parameters, a part for its own", "[parameter_store][L1][L5]") {
  auto shared = shared_of(1);
  std::vector<Block> contributions{constant(5)};
  CHECK(shared.update({}, contributions) == constant(3));
  REQUIRE_FALSE(shared.change(part_of_b({0, 1}, {1, 2, 3, 4})));
  CHECK(shared.version() == 2);
  CHECK(shared.versions() == std::map<std::string, Version>{{"b", 2}, {"w", 1}});
  const auto part = shared.part({"b", {{1, 3}}, {}});
  REQUIRE(part);
  CHECK(part->version == 2);
  CHECK(floats_of(part->values) == std::vector<float>{2, 4});
}

TEST_CASE("a part of another size, or with weights that are not finite, changes nothing",
          "[parameter_store][L4]") {
  auto shared = shared_of(1);
  CHECK(shared.change(part_of_b({}, {1, 2})) == Error::shape_mismatch);
  CHECK(shared.change(part_of_b({0, std::numeric_limits<float>::infinity()}, {1, 2, 3, 4}))
        == Error::invalid_options);
  CHECK(shared.version() == 0);
  CHECK(shared.values() == constant(1));
}

TEST_CASE("saved parameters are restored elsewhere, unless they are inconsistent",
          "[parameter_store][restart]") {
  auto shared = shared_of(2);
  REQUIRE_FALSE(shared.change(part_of_b({0, 1}, {1, 2, 3, 4})));
  SavedHolder saved;
  shared.save(saved);
  SharedParameters other;
  CHECK(other.restore(saved).empty());
  CHECK(other.created());
  CHECK(other.values() == shared.values());
  CHECK(other.versions() == shared.versions());
  saved.values = block_of({1});
  CHECK(SharedParameters{}.restore(saved) == "its values are not of its layout's size");
}

TEST_CASE("a saved holder whose rule is not here is refused with the rule's name",
          "[parameter_store][restart][rules]") {
  auto shared = shared_of(2);
  SavedHolder saved;
  shared.save(saved);
  saved.rule = "trimmed";
  CHECK_THAT(SharedParameters{}.restore(saved),
             Catch::Contains("'trimmed' is not known here") && Catch::Contains("plugin"));
  saved.rule = "outer_nesterov";
  SharedParameters other;
  CHECK(other.restore(saved).empty());
  SavedHolder again;
  other.save(again);
  CHECK(again.rule == "outer_nesterov");
}
