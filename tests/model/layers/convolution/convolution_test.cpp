#include "model/layers/convolution/convolution.hpp"
#include "tests/support/layer_check.hpp"

#include <catch2/catch.hpp>

#include <algorithm>
#include <array>
#include <cmath>

using namespace troupe;
using Catch::Contains;
using test::Numbers;

namespace {

/// The sum of the header's formula, position by position.
Numbers convolved(const Numbers& x, Index n, Index height, Index width, Index channels,
                  const ConvolutionOptions& o, const Numbers& weight, const Numbers& bias) {
  const auto reach = o.dilation * (o.kernel - 1) + 1;
  const auto rows = (height + 2 * o.padding - reach) / o.stride + 1;
  const auto places = (width + 2 * o.padding - reach) / o.stride + 1;
  const auto in = channels / o.groups, out = o.channels / o.groups;
  Numbers y;
  for (Index b = 0; b < n; ++b)
    for (Index i = 0; i < rows; ++i)
      for (Index j = 0; j < places; ++j)
        for (Index c_out = 0; c_out < o.channels; ++c_out) {
          auto sum = bias[static_cast<std::size_t>(c_out)];
          for (Index u = 0; u < o.kernel; ++u)
            for (Index v = 0; v < o.kernel; ++v)
              for (Index c = 0; c < in; ++c) {
                const auto row = i * o.stride + u * o.dilation - o.padding;
                const auto place = j * o.stride + v * o.dilation - o.padding;
                if (row < 0 || row >= height || place < 0 || place >= width)
                  continue;
                const auto from
                  = ((b * height + row) * width + place) * channels + c_out / out * in + c;
                const auto w = ((u * o.kernel + v) * in + c) * o.channels + c_out;
                sum += x[static_cast<std::size_t>(from)] * weight[static_cast<std::size_t>(w)];
              }
          y.push_back(sum);
        }
  return y;
}

const ConvolutionOptions variants[] = {
  {.channels = 3, .kernel = 3},
  {.channels = 2, .kernel = 2, .stride = 2},
  {.channels = 2, .kernel = 3, .padding = 1},
  {.channels = 2, .kernel = 3, .stride = 2, .padding = 2},
  {.channels = 2, .kernel = 2, .padding = 1, .dilation = 3},
  {.channels = 4, .kernel = 3, .padding = 1, .groups = 2},
  {.channels = 4, .kernel = 2, .groups = 4},
  {.channels = 3, .kernel = 1},
  {.channels = 3, .kernel = 1, .stride = 2},
  {.channels = 34, .kernel = 2}, // more than fit one tile
};

} // namespace

TEST_CASE("conv2d equals its formula", "[layers]") {
  for (const auto& options : variants) {
    INFO("stride " << options.stride << ", padding " << options.padding << ", dilation "
                   << options.dilation << ", groups " << options.groups);
    ConvolutionLayer<double> layer{2, options};
    Layout layout;
    const auto output = layer.connect({any_size, 6, 5, 4}, "conv2d0", layout);
    const auto parameters = test::random_numbers(static_cast<std::size_t>(layout.size()), 1);
    const auto x = test::random_numbers(2 * 6 * 5 * 4, 2);
    Numbers y(test::numbers_in(output, 2));
    layer.forward(parameters, x, y);
    const auto bias = parameters.begin() + layout.find("conv2d0.bias")->offset;
    const auto expected
      = convolved(x, 2, 6, 5, 4, options, {parameters.begin(), bias}, {bias, parameters.end()});
    REQUIRE(y.size() == expected.size());
    for (std::size_t i = 0; i < y.size(); ++i)
      CHECK(y[i] == Approx(expected[i]).margin(1e-12));
  }
}

TEST_CASE("the gradients of convolutions equal finite differences", "[layers][B50]") {
  for (const auto& options : variants) {
    INFO("stride " << options.stride << ", padding " << options.padding << ", dilation "
                   << options.dilation << ", groups " << options.groups);
    ConvolutionLayer<double> images{2, options}, sequences{1, options};
    CHECK(test::worst_gradient(images, {any_size, 6, 5, 4}, 3) < 1e-6);
    CHECK(test::worst_gradient(sequences, {any_size, 9, 4}, 3) < 1e-6);
  }
}

TEST_CASE("a convolution skips an input gradient that is not needed", "[layers]") {
  ConvolutionLayer<double> layer{2, {.channels = 2, .kernel = 3}};
  CHECK(test::same_without_dx(layer, {any_size, 6, 5, 4}, 3));
}

TEST_CASE("convolutions in float and double agree", "[layers]") {
  struct Case {
    Index channels;
    ConvolutionOptions options;
  };
  // Each kind of kernels: our own, the library's where it is faster, and products.
  const Case cases[] = {
    {6, {.channels = 50, .kernel = 3, .padding = 1}},
    {32, {.channels = 48, .kernel = 3, .padding = 1}},
    {16, {.channels = 16, .kernel = 3, .stride = 2, .padding = 1}},
    {3, {.channels = 32, .kernel = 3, .padding = 1}},
    {24, {.channels = 24, .kernel = 3, .padding = 1, .groups = 24}},
    {24, {.channels = 24, .kernel = 5, .stride = 2, .padding = 2, .groups = 24}},
    {32, {.channels = 48, .kernel = 1}},
    {32, {.channels = 48, .kernel = 1, .stride = 2}},
  };
  for (const auto& [channels, options] : cases) {
    INFO(channels << " to " << options.channels << " channels, kernel " << options.kernel
                  << ", stride " << options.stride << ", groups " << options.groups);
    const Shape input{any_size, 9, 21, channels}; // more adjacent windows than fit one tile
    ConvolutionLayer<double> exact{2, options};
    ConvolutionLayer<float> layer{2, options};
    Layout layout, same;
    const auto output = exact.connect(input, "conv2d0", layout);
    layer.connect(input, "conv2d0", same);
    const auto w = test::random_numbers(static_cast<std::size_t>(layout.size()), 1);
    const auto x = test::random_numbers(test::numbers_in(input, 2), 2);
    const auto dy = test::random_numbers(test::numbers_in(output, 2), 3);
    Numbers y(dy.size()), dx(x.size()), dw(w.size());
    exact.forward(w, x, y);
    exact.backward({w, x, y, dy, dx, dw});
    using Floats = std::vector<float>;
    const Floats fw(w.begin(), w.end()), fx(x.begin(), x.end()), fdy(dy.begin(), dy.end());
    Floats fy(y.size()), fdx(dx.size()), fdw(dw.size());
    layer.forward(fw, fx, fy);
    layer.backward({fw, fx, fy, fdy, fdx, fdw});
    const auto equal_sizes_and_values = [](const Numbers& numbers, const Floats& floats) {
      return std::equal(numbers.begin(), numbers.end(), floats.begin(),
                        [](double a, float b) { return std::abs(a - b) < 1e-3; });
    };
    CHECK(equal_sizes_and_values(y, fy));
    CHECK(equal_sizes_and_values(dx, fdx));
    CHECK(equal_sizes_and_values(dw, fdw));
  }
}

TEST_CASE("a convolution gives the same bits after a batch of another size, and in a copy",
          "[layers]") {
  using Floats = std::vector<float>;
  for (const auto& options : {ConvolutionOptions{.channels = 16, .kernel = 3, .padding = 1},
                              ConvolutionOptions{.channels = 16, .kernel = 3, .groups = 16},
                              ConvolutionOptions{.channels = 16, .kernel = 1, .stride = 2}}) {
    INFO("kernel " << options.kernel << ", groups " << options.groups);
    const Shape input{any_size, 8, 8, 16};
    ConvolutionLayer<float> layer{2, options};
    Layout layout;
    const auto output = layer.connect(input, "conv2d0", layout);
    const auto floats = [](std::size_t n, std::uint64_t key) {
      const auto numbers = test::random_numbers(n, key);
      return Floats(numbers.begin(), numbers.end());
    };
    const auto w = floats(static_cast<std::size_t>(layout.size()), 1);
    const auto results = [&](Layer<float>& of, Index batch) {
      const auto x = floats(test::numbers_in(input, batch), 2);
      const auto dy = floats(test::numbers_in(output, batch), 3);
      Floats y(dy.size()), dx(x.size()), dw(w.size());
      of.forward(w, x, y);
      of.backward({w, x, y, dy, dx, dw});
      return std::array{y, dx, dw};
    };
    const auto first = results(layer, 3);
    const auto other = results(layer, 5);
    CHECK(results(layer, 3) == first);
    CHECK(results(*layer.clone(), 5) == other);
  }
}

TEST_CASE("a batch of images gives what each image gives alone", "[layers]") {
  ConvolutionLayer<double> layer{2, {.channels = 2, .kernel = 5, .padding = 2}};
  Layout layout;
  const auto output = layer.connect({any_size, 28, 28}, "conv2d0", layout);
  constexpr Index images = 7;
  const auto parameters = test::random_numbers(static_cast<std::size_t>(layout.size()), 1);
  const auto x = test::random_numbers(28 * 28 * images, 2);
  Numbers together(test::numbers_in(output, images)), alone(test::numbers_in(output, 1));
  layer.forward(parameters, x, together);
  for (Index i = 0; i < images; ++i) {
    layer.forward(parameters, std::span{x}.subspan(static_cast<std::size_t>(i) * 28 * 28, 28 * 28),
                  alone);
    for (std::size_t k = 0; k < alone.size(); ++k)
      REQUIRE(together[static_cast<std::size_t>(i) * alone.size() + k]
              == Approx(alone[k]).margin(1e-12));
  }
}

TEST_CASE("convolutions report their shapes, and images without channels have one", "[layers]") {
  Layout layout;
  ConvolutionLayer<float> image{2, {.channels = 6, .kernel = 5}}, signal{1, {.channels = 2}};
  CHECK(image.connect({any_size, 28, 28}, "conv2d0", layout) == Shape{any_size, 24, 24, 6});
  CHECK(layout.find("conv2d0.weight")->shape == Shape{5, 5, 1, 6});
  CHECK(signal.connect({any_size, 10}, "conv1d0", layout) == Shape{any_size, 8, 2});
  CHECK(layout.find("conv1d0.weight")->shape == Shape{3, 1, 2});
}

TEST_CASE("an input that does not suit a convolution is refused with a sentence", "[layers]") {
  const auto connect = [](ConvolutionOptions options, const Shape& input) {
    Layout layout;
    ConvolutionLayer<float>{2, std::move(options)}.connect(input, "conv2d0", layout);
  };
  CHECK_THROWS_WITH(connect({}, {any_size, 784}), Contains("'conv2d0'") && Contains("[any, 784]")
                                                    && Contains("[any, height, width, channels]"));
  CHECK_THROWS_WITH(connect({.kernel = 5}, {any_size, 3, 3, 1}), Contains("window of 5"));
  CHECK_THROWS_WITH(connect({.channels = 4, .groups = 2}, {any_size, 8, 8, 3}),
                    Contains("3 input and 4 output channels into 2 groups"));
  CHECK_THROWS_WITH(connect({.stride = 0}, {any_size, 8, 8, 3}), Contains("stride 0"));
  CHECK_THROWS_WITH(connect({.kernel = 3, .padding = 3}, {any_size, 8, 8}),
                    Contains("padding alone"));
  CHECK_THROWS_AS(connect({.channels = 0}, {any_size, 8, 8, 3}), std::invalid_argument);
  CHECK_THROWS_AS(connect({.initializer = "he"}, {any_size, 8, 8, 3}), std::invalid_argument);
}
