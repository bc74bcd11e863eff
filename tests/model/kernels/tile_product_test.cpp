#include "model/kernels/product.hpp"
#include "model/kernels/tile_product.hpp"
#include "model/tensor/random.hpp"

#include <catch2/catch.hpp>

#include <cmath>
#include <limits>
#include <thread>
#include <vector>

using namespace troupe;

namespace {

/// Without tiles there is nothing to test.
bool no_tiles() {
  if (tiles_available())
    return false;
  WARN("skipped: this processor has no matrix tiles, or the build does not use them");
  return true;
}

/// Numbers of very different magnitude, 2^-12 to 2^12.
std::vector<float> uneven_numbers(Index n, std::uint64_t key) {
  Random random{{key}};
  std::vector<float> numbers(static_cast<std::size_t>(n));
  for (auto& x : numbers)
    x = static_cast<float>(random.uniform(-1, 1) * std::exp2(random.uniform(-12, 12)));
  return numbers;
}

struct Variant {
  bool transpose_a, transpose_b, add;
  Index gap; ///< between rows
};

double at(const std::vector<float>& numbers, Index row, Index column, Index stride) {
  return numbers[static_cast<std::size_t>(row * stride + column)];
}

/// The largest error of a product in units of the sum of the absolute values that it adds; infinite
/// where it wrote between rows.
using Multiply = void (*)(Factor<float>, Factor<float>, Result<float>, WriteMode);

double worst_error(Index m, Index n, Index k, const Variant& variant, Multiply multiply) {
  const auto stride_a = (variant.transpose_a ? m : k) + variant.gap,
             stride_b = (variant.transpose_b ? k : n) + variant.gap;
  const auto stride_c = n + variant.gap;
  const auto a = uneven_numbers((variant.transpose_a ? k : m) * stride_a, 1);
  const auto b = uneven_numbers((variant.transpose_b ? n : k) * stride_b, 2);
  auto c = uneven_numbers(m * stride_c, 3);
  const auto before = c;
  const Factor<float> left{a.data(), variant.transpose_a ? k : m, variant.transpose_a ? m : k,
                           stride_a, variant.transpose_a};
  const Factor<float> right{b.data(), variant.transpose_b ? n : k, variant.transpose_b ? k : n,
                            stride_b, variant.transpose_b};
  multiply(left, right, {c.data(), m, n, stride_c},
           variant.add ? WriteMode::add : WriteMode::replace);
  double worst = 0;
  for (Index i = 0; i < m; ++i) {
    for (Index j = 0; j < n; ++j) {
      const auto old = variant.add ? at(before, i, j, stride_c) : 0;
      double sum = old, size = std::abs(old);
      for (Index p = 0; p < k; ++p) {
        const auto term = (variant.transpose_a ? at(a, p, i, stride_a) : at(a, i, p, stride_a))
                          * (variant.transpose_b ? at(b, j, p, stride_b) : at(b, p, j, stride_b));
        sum += term;
        size += std::abs(term);
      }
      worst = std::max(worst, std::abs(at(c, i, j, stride_c) - sum) / size);
    }
    for (Index j = n; j < stride_c; ++j)
      if (at(c, i, j, stride_c) != at(before, i, j, stride_c))
        worst = std::numeric_limits<double>::infinity();
  }
  return worst;
}

float product_of_ones(float x, float y) {
  const std::vector<float> a(32 * 32, x), b(32 * 32, y);
  std::vector<float> c(32 * 32);
  tile_product({a.data(), 32, 32}, {b.data(), 32, 32}, {c.data(), 32, 32}, WriteMode::replace);
  return c[5];
}

} // namespace

TEST_CASE("products on tiles are as accurate as float32, whatever the layout of the factors",
          "[product]") {
  if (no_tiles())
    return;
  // The last three take several pieces of rows, of columns and of the inner size.
  const Index shapes[][3] = {{1, 1, 1},    {16, 16, 32},  {17, 33, 31},  {33, 15, 70},
                             {64, 48, 96}, {530, 37, 20}, {20, 150, 45}, {40, 36, 1030}};
  for (const auto& [m, n, k] : shapes)
    for (int i = 0; i < 16; ++i) {
      const Variant variant{(i & 1) != 0, (i & 2) != 0, (i & 4) != 0, (i & 8) != 0 ? 3 : 0};
      INFO(m << " x " << k << " times " << k << " x " << n << ", variant " << i);
      const auto library = worst_error(m, n, k, variant, product);
      const auto tiles = worst_error(m, n, k, variant, tile_product);
      CHECK(tiles < 2 * library);
    }
}

TEST_CASE("products on tiles neither overflow nor vanish before float32 does", "[product]") {
  if (no_tiles())
    return;
  const auto largest = 3.389e38f; // of bfloat16; that of float32 is 0.4 % larger
  CHECK(product_of_ones(largest, 1e-30f) == Approx(32 * 3.389e8).epsilon(1e-6));
  CHECK(product_of_ones(1e-30f, 1e30f) == Approx(32).epsilon(1e-6));
  CHECK(std::isinf(product_of_ones(largest, 2)));
}

TEST_CASE("a factor that is not finite shows in a product on tiles", "[product]") {
  if (no_tiles())
    return;
  const auto infinite = std::numeric_limits<float>::infinity();
  for (const auto bad : {infinite, -infinite, std::nanf(""), std::nanf("0x3fffff")}) {
    CHECK_FALSE(std::isfinite(product_of_ones(bad, 1)));
    CHECK_FALSE(std::isfinite(product_of_ones(1, bad)));
  }
}

TEST_CASE("a product on tiles has the same bits on every thread", "[product]") {
  if (no_tiles())
    return;
  const auto a = uneven_numbers(70 * 600, 1), b = uneven_numbers(600 * 140, 2);
  std::vector<float> here(70 * 140), there(here.size());
  const auto multiply = [&](std::vector<float>& c) {
    tile_product({a.data(), 70, 600}, {b.data(), 600, 140}, {c.data(), 70, 140},
                 WriteMode::replace);
  };
  multiply(here);
  std::thread{[&] { multiply(there); }}.join();
  CHECK(here == there);
}

TEST_CASE("tiles are used only for products that are large in every dimension", "[product]") {
  CHECK(worth_tiles(64, 784, 512));
  CHECK(worth_tiles(128, 128, 128));
  CHECK_FALSE(worth_tiles(64, 10, 5120));
  CHECK_FALSE(worth_tiles(10, 64, 5120));
  CHECK_FALSE(worth_tiles(1280, 512, 8));
  CHECK_FALSE(worth_tiles(64, 64, 64));
  CHECK_FALSE(worth_tiles(33, 1000, 1000)); // nearly half of it padding
}
