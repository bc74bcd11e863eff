#include "model/layers/output.hpp"
#include "tests/support/layer_check.hpp"

#include <catch2/catch.hpp>

using namespace troupe;
using Catch::Contains;

namespace {

Shape output_of(const Shape& prediction, const Shape& input, Index parameters) {
  OutputLayer<double> layer{prediction};
  Layout layout;
  const auto shape = layer.connect(input, "linear0", layout);
  CHECK(layout.size() == parameters);
  return shape;
}

} // namespace

TEST_CASE("an output layer predicts one row for each example", "[layers]") {
  CHECK(output_of({any_size, 10}, {any_size, 7}, 7 * 10 + 10) == Shape{any_size, 10});
  CHECK(output_of({any_size}, {any_size, 7}, 7 + 1) == Shape{any_size});
}

TEST_CASE("an output layer predicts each position of a sequence with the same weights",
          "[layers]") {
  CHECK(output_of({any_size, 5, 3}, {any_size, 5, 7}, 7 * 3 + 3) == Shape{any_size, 5, 3});
}

TEST_CASE("an output layer predicts all positions from one row", "[layers]") {
  CHECK(output_of({any_size, 5, 3}, {any_size, 7}, 7 * 15 + 15) == Shape{any_size, 5, 3});
}

TEST_CASE("an output layer refuses positions that differ from the prediction's", "[layers]") {
  OutputLayer<double> layer{{any_size, 10}};
  Layout layout;
  CHECK_THROWS_WITH(layer.connect({any_size, 6, 6, 3}, "linear0", layout),
                    Contains("linear0") && Contains("[any, 10]") && Contains("[any, 6, 6, 3]")
                      && Contains("flatten"));
}

TEST_CASE("the gradient of an output layer equals finite differences", "[layers]") {
  OutputLayer<double> layer{{any_size, 4, 3}};
  CHECK(test::worst_gradient(layer, {any_size, 4, 5}, 2) < 1e-6);
}
