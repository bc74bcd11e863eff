#include "model/kernels/packed_product.hpp"
#include "tests/support/random_factors.hpp"

#include <catch2/catch.hpp>

#include <cmath>
#include <vector>

using namespace troupe;

namespace {

/// A matrix whose rows are `stride` apart, as a factor of a product.
struct Operand {
  std::vector<float> numbers;
  Factor<float> factor;

  Operand(Index rows, Index columns, Index stride, bool turned, std::uint64_t key)
    : numbers(test::random_factors<float>(rows * stride, key)),
      factor{numbers.data(), rows, columns, stride, turned} {}
};

/// The largest difference of a packed product from the sums written out, in units of an element's
/// size, the square root of the inner size; infinite where it wrote between rows.
double largest_error(Index m, Index n, Index k, bool transpose_a, bool transpose_b,
                     WriteMode write) {
  const Index gap = 5;
  const Operand a{transpose_a ? k : m, transpose_a ? m : k, (transpose_a ? m : k) + gap,
                  transpose_a, 1};
  const Operand b{transpose_b ? n : k, transpose_b ? k : n, (transpose_b ? k : n) + gap,
                  transpose_b, 2};
  const auto before = test::random_factors<float>(m * (n + gap), 3);
  auto c = before;
  packed_product(a.factor, b.factor, {c.data(), m, n, n + gap}, write);
  double worst = 0;
  for (Index i = 0; i < m; ++i)
    for (Index j = 0; j < n + gap; ++j) {
      const auto at = static_cast<std::size_t>(i * (n + gap) + j);
      if (j >= n && c[at] != before[at])
        return HUGE_VAL;
      double sum = write == WriteMode::add || j >= n ? before[at] : 0;
      for (Index p = 0; p < (j < n ? k : 0); ++p)
        sum += test::element(a.factor, i, p) * test::element(b.factor, p, j);
      worst = std::max(worst, std::abs(sum - c[at]));
    }
  return worst / std::sqrt(static_cast<double>(k));
}

/// @param stride_a, stride_b 0: as long as the rows
bool worth(Index m, Index n, Index k, Index stride_a, Index stride_b, bool transpose_a,
           bool transpose_b) {
  return worth_packing({nullptr, transpose_a ? k : m, transpose_a ? m : k, stride_a, transpose_a},
                       {nullptr, transpose_b ? n : k, transpose_b ? k : n, stride_b, transpose_b},
                       {nullptr, m, n});
}

} // namespace

TEST_CASE("a packed product equals the sums written out, whatever the layout of its factors",
          "[product]") {
  // Sizes that fill no register, tile or panel; the last four take several parts of the columns,
  // the inner size and the rows.
  const Index shapes[][3]
    = {{1, 1, 1},    {3, 5, 9},     {5, 8, 7},     {6, 16, 8},   {17, 65, 31},
       {13, 57, 40}, {40, 130, 17}, {20, 70, 257}, {325, 9, 30}, {331, 67, 300}};
  for (const auto& [m, n, k] : shapes)
    for (int variant = 0; variant < 8; ++variant) {
      INFO(m << " x " << k << " times " << k << " x " << n << ", variant " << variant);
      const auto write = variant & 4 ? WriteMode::add : WriteMode::replace;
      CHECK(largest_error(m, n, k, variant & 1, variant & 2, write) < 1e-6);
    }
}

TEST_CASE("a packed product reads nothing after its factors", "[product]") {
  // NaN would show in sums; the address sanitizer detects reads whose result is unused.
  auto a = test::random_factors<float>(6 * 9 + 1, 1),
       b = test::random_factors<float>(9 * 17 + 1, 2);
  a.back() = b.back() = NAN;
  a.shrink_to_fit();
  std::vector<float> c(6 * 17);
  for (const bool transpose_a : {false, true})
    for (const bool transpose_b : {false, true}) {
      packed_product({a.data(), transpose_a ? 9 : 6, transpose_a ? 6 : 9, 0, transpose_a},
                     {b.data(), transpose_b ? 17 : 9, transpose_b ? 9 : 17, 0, transpose_b},
                     {c.data(), 6, 17}, WriteMode::replace);
      for (const auto x : c)
        CHECK(std::isfinite(x));
    }
}

TEST_CASE("factors are packed only where the library would read crowded rows", "[product]") {
  const auto packs = worth(64, 2048, 784, 0, 0, false, false); // false on other processors
  CHECK(worth(64, 500, 784, 0, 2048, false, false) == packs);
  CHECK(worth(2048, 100, 64, 0, 0, true, false) == packs);
  CHECK(worth(256, 2048, 2048, 0, 0, false, true) == packs);
  CHECK_FALSE(worth(64, 500, 784, 0, 0, false, false));    // rows 500 numbers apart
  CHECK_FALSE(worth(64, 784, 256, 0, 0, false, true));     // read along its rows, 1 KiB apart
  CHECK_FALSE(worth(64, 100, 512, 2048, 0, false, false)); // as is the first factor
  CHECK_FALSE(worth(16, 2048, 784, 0, 0, false, false));   // too few rows for a copy
  CHECK_FALSE(worth(2048, 10, 64, 0, 0, true, false));     // too few columns
  CHECK_FALSE(worth(2048, 512, 16, 0, 0, true, false));    // too small an inner size
}
