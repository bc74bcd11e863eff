#include "model/tensor/layout.hpp"

#include <catch2/catch.hpp>

using namespace troupe;
using Catch::Contains;

namespace {

Layout two_parameters() {
  Layout layout;
  layout.add("linear0.weight", {3, 4});
  layout.add("linear0.bias", {4});
  return layout;
}

} // namespace

TEST_CASE("parameters follow each other without gaps", "[layout]") {
  Layout layout;
  CHECK(layout.add("a", {3, 4}) == 0);
  CHECK(layout.add("b", {5}) == 12);
  CHECK(layout.size() == 17);
  REQUIRE(layout.find("b") != nullptr);
  CHECK(layout.find("b")->offset == 12);
  CHECK(layout.find("b")->size() == 5);
  CHECK(layout.find("c") == nullptr);
  CHECK(layout.defect() == "");
}

TEST_CASE("a layout refuses duplicate names, and sizes that are not positive", "[layout]") {
  auto layout = two_parameters();
  CHECK_THROWS_WITH(layout.add("linear0.bias", {4}), Contains("linear0.bias"));
  CHECK_THROWS_AS(layout.add("", {4}), std::invalid_argument);
  CHECK_THROWS_WITH(layout.add("x", {4, 0}), Contains("[4, 0]"));
  CHECK_THROWS_AS(layout.add("x", {any_size}), std::invalid_argument);
  CHECK_THROWS_AS(layout.add("x", {}), std::invalid_argument);
  CHECK(layout == two_parameters());
  // cure: '; give each its own name
  CHECK_NOTHROW(layout.add("linear1.bias", {4}));
}

TEST_CASE("a pattern freezes the parameters whose names match", "[layout]") {
  auto layout = two_parameters();
  layout.add("norm0.mean", {4}, ParameterRole::statistic);
  layout.freeze("linear0.*");
  CHECK(layout.find("linear0.weight")->role == ParameterRole::frozen);
  CHECK(layout.find("linear0.bias")->role == ParameterRole::frozen);
  CHECK(layout.find("norm0.mean")->role == ParameterRole::statistic);
  CHECK_THROWS_WITH(layout.freeze("linaer0.*"),
                    Contains("'linaer0.*'")
                      && Contains("linear0.weight, linear0.bias, norm0.mean"));
}

TEST_CASE("a pattern does not freeze carried parameters", "[layout][carry]") {
  auto layout = two_parameters();
  layout.add("linear0.carried_state", {2, 4}, ParameterRole::carried);
  layout.freeze("linear0.*");
  CHECK(layout.find("linear0.weight")->role == ParameterRole::frozen);
  CHECK(layout.find("linear0.carried_state")->role == ParameterRole::carried);
  CHECK_THROWS_WITH(layout.freeze("*.carried_state"), Contains("none can be frozen"));
}

TEST_CASE("the first difference between two layouts is named", "[layout]") {
  const auto layout = two_parameters();
  CHECK(layout.difference(two_parameters()) == "");
  Layout shorter;
  shorter.add("linear0.weight", {3, 4});
  CHECK_THAT(layout.difference(shorter), Contains("linear0.bias"));
  CHECK_THAT(shorter.difference(layout), Contains("linear0.bias"));
  Layout wider;
  wider.add("linear0.weight", {3, 5});
  wider.add("linear0.bias", {4});
  CHECK_THAT(layout.difference(wider), Contains("[3, 4]") && Contains("[3, 5]"));
  Layout turned;
  turned.add("linear0.bias", {4});
  turned.add("linear0.weight", {3, 4});
  CHECK_THAT(layout.difference(turned), Contains("linear0.bias"));
}

TEST_CASE("a spoiled layout is noticed", "[layout]") {
  auto loaded = two_parameters();
  loaded.with_fields([&](auto& parameters, auto& size) {
    parameters[1].offset = 11;
    CHECK_THAT(loaded.defect(), Contains("begins at 11 instead of 12"));
    parameters[1].offset = 12;
    parameters[1].name = "linear0.weight";
    CHECK_THAT(loaded.defect(), Contains("linear0.weight"));
    parameters[1].name = "b";
    size = 99;
    CHECK_THAT(loaded.defect(), Contains("99 instead of 16"));
    size = 16;
    parameters[1].shape = {-4};
    CHECK(loaded.defect() != "");
    parameters[1].shape = {Index{1} << 40, Index{1} << 40};
    CHECK(loaded.defect() != "");
  });
}

TEST_CASE("a shape prints its sizes, and any for an open one", "[layout]") {
  CHECK(to_string(Shape{784, 512}) == "[784, 512]");
  CHECK(to_string(Shape{any_size, 10}) == "[any, 10]");
  CHECK(to_string(Shape{}) == "[]");
}
