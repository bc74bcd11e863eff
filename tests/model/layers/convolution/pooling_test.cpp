#include "model/layers/convolution/pooling.hpp"
#include "model/layers/global_pooling.hpp"
#include "tests/support/layer_check.hpp"

#include <catch2/catch.hpp>

#include <cmath>

using namespace troupe;
using Catch::Contains;
using test::Numbers;

namespace {

const PoolingOptions pooling_variants[] = {
  {}, {.size = 3, .stride = 1}, {.size = 2, .stride = 3}, {.size = 3, .stride = 2, .padding = 1}};

Numbers pooled(Layer<double>& layer, const Shape& input, const Numbers& x) {
  Layout layout;
  Numbers y(test::numbers_in(layer.connect(input, "pool", layout), 1));
  layer.forward({}, x, y);
  return y;
}

} // namespace

TEST_CASE("pooling takes the largest number or the mean of each window and channel", "[layers]") {
  const Numbers x{1, 10, 2, 20, 3, 30, //
                  4, 40, 5, 50, 6, 60};
  MaxPoolingLayer<double> max{{.size = 2, .stride = 1}};
  CHECK(pooled(max, {any_size, 2, 3, 2}, x) == Numbers{5, 50, 6, 60});
  AveragePoolingLayer<double> average{{.size = 2, .stride = 1}};
  CHECK(pooled(average, {any_size, 2, 3, 2}, x) == Numbers{3, 30, 4, 40});
  GlobalPoolingLayer<double> global;
  CHECK(pooled(global, {any_size, 2, 3, 2}, x) == Numbers{3.5, 35});
}

TEST_CASE("padding is neither the largest number of a window nor part of its mean", "[layers]") {
  const Numbers x{-1, -2, -3, -4};
  MaxPoolingLayer<double> max{{.size = 2, .stride = 2, .padding = 1}};
  CHECK(pooled(max, {any_size, 2, 2, 1}, x) == Numbers{-1, -2, -3, -4});
  AveragePoolingLayer<double> average{{.size = 2, .stride = 2, .padding = 1}};
  CHECK(pooled(average, {any_size, 2, 2, 1}, x) == Numbers{-1, -2, -3, -4});
}

TEST_CASE("the gradients of pooling equal finite differences", "[layers][B50]") {
  for (const auto& options : pooling_variants) {
    INFO("size " << options.size << ", stride " << options.stride);
    MaxPoolingLayer<double> max{options};
    AveragePoolingLayer<double> average{options};
    for (const auto& shape :
         {Shape{any_size, 5, 6, 3}, Shape{any_size, 7, 2}, Shape{any_size, 4, 6, 19}}) {
      CHECK(test::worst_gradient(max, shape, 2) < 1e-6);
      CHECK(test::worst_gradient(average, shape, 2) < 1e-6);
      max = MaxPoolingLayer<double>{options};
      average = AveragePoolingLayer<double>{options};
    }
  }
  GlobalPoolingLayer<double> global;
  CHECK(test::worst_gradient(global, {any_size, 3, 4, 5}, 2) < 1e-6);
}

TEST_CASE("max_pooling lets NaN through", "[layers]") {
  MaxPoolingLayer<double> max;
  for (int at = 0; at < 4; ++at) {
    Numbers x{1, 2, 3, 4};
    x[static_cast<std::size_t>(at)] = std::nan("");
    CHECK(std::isnan(pooled(max, {any_size, 2, 2, 1}, x)[0]));
  }
}

TEST_CASE("pooling refuses shapes without positions, and windows that do not fit", "[layers]") {
  Layout layout;
  CHECK_THROWS_WITH(MaxPoolingLayer<float>{}.connect({any_size, 8}, "max_pooling0", layout),
                    Contains("'max_pooling0'") && Contains("[any, 8]"));
  CHECK_THROWS_WITH(AveragePoolingLayer<float>({.size = 9})
                      .connect({any_size, 8, 8, 1}, "average_pooling0", layout),
                    Contains("window of 9") && Contains("8 places"));
  CHECK_THROWS_WITH(GlobalPoolingLayer<float>{}.connect({any_size, 8}, "global_pooling0", layout),
                    Contains("'global_pooling0'") && Contains("[any, 8]"));
}
