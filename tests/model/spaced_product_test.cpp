#include "troupe/model/library_product.hpp"
#include "troupe/model/random.hpp"
#include "troupe/model/spaced_product.hpp"

#include <catch2/catch.hpp>

#include <cmath>
#include <vector>

using namespace troupe;

namespace {

/// Without a library there is nothing to test.
bool no_library() {
  if (has_library_product())
    return false;
  WARN("skipped: the build has no library for products");
  return true;
}

std::vector<float> random_numbers(Index n, std::uint64_t key) {
  Random random{{key}};
  std::vector<float> numbers(static_cast<std::size_t>(n));
  for (auto& x : numbers)
    x = static_cast<float>(random.uniform(-1, 1));
  return numbers;
}

/// A matrix whose rows lie `stride` apart, and how a product sees it.
struct Operand {
  std::vector<float> numbers;
  Factor<float> factor;

  Operand(Index rows, Index columns, Index stride, bool turned, std::uint64_t key)
    : numbers(random_numbers(rows * stride, key)),
      factor{numbers.data(), rows, columns, stride, turned} {}
};

/// The largest difference of a spaced product from the library's, in units of an element's size,
/// the square root of the inner size; infinite where it wrote between rows.
double largest_gap_to_library(Index m, Index n, Index k, bool turn_a, bool turn_b,
                              WriteMode write) {
  const Index gap = 5;
  const Operand a{turn_a ? k : m, turn_a ? m : k, (turn_a ? m : k) + gap, turn_a, 1};
  const Operand b{turn_b ? n : k, turn_b ? k : n, (turn_b ? k : n) + gap, turn_b, 2};
  const auto before = random_numbers(m * (n + gap), 3);
  auto spaced = before, plain = before;
  spaced_product(a.factor, b.factor, {spaced.data(), m, n, n + gap}, write);
  library_product(a.factor, b.factor, {plain.data(), m, n, n + gap}, write);
  double worst = 0;
  for (Index i = 0; i < m; ++i)
    for (Index j = 0; j < n + gap; ++j) {
      const auto at = static_cast<std::size_t>(i * (n + gap) + j);
      if (j >= n && spaced[at] != before[at])
        return HUGE_VAL;
      worst = std::max(worst, std::abs(double{spaced[at]} - plain[at]));
    }
  return worst / std::sqrt(static_cast<double>(k));
}

} // namespace

TEST_CASE("a spaced product is the library's, however its factors lie", "[product]") {
  if (no_library())
    return;
  // The last three take several slices of the inner size, and more than one copy of each factor.
  const Index shapes[][3]
    = {{1, 1, 1}, {17, 65, 31}, {64, 512, 192}, {40, 70, 193}, {4100, 20, 200}, {20, 4100, 400}};
  for (const auto& [m, n, k] : shapes)
    for (int way = 0; way < 8; ++way) {
      INFO(m << " x " << k << " times " << k << " x " << n << ", way " << way);
      const auto write = way & 4 ? WriteMode::add : WriteMode::replace;
      CHECK(largest_gap_to_library(m, n, k, way & 1, way & 2, write) < 1e-6);
    }
}

TEST_CASE("a product is spaced only where the library reads crowded rows down their columns",
          "[product]") {
  const auto worth
    = [](Index m, Index n, Index k, Index stride_a, Index stride_b, bool turn_a, bool turn_b) {
        const Factor<float> a{nullptr, turn_a ? k : m, turn_a ? m : k, stride_a, turn_a};
        const Factor<float> b{nullptr, turn_b ? n : k, turn_b ? k : n, stride_b, turn_b};
        return worth_spacing(a, b, {nullptr, m, n});
      };
  const auto in_place = multiplies_in_place(64, 512);
  CHECK(worth(64, 512, 784, 0, 0, false, false) == in_place);
  CHECK(worth(64, 500, 784, 0, 1024, false, false) == in_place);
  CHECK(worth(512, 100, 64, 0, 0, true, false) == in_place);
  CHECK_FALSE(worth(64, 500, 784, 0, 0, false, false));   // rows 500 numbers apart
  CHECK_FALSE(worth(64, 512, 784, 0, 0, false, true));    // read along its rows
  CHECK_FALSE(worth(64, 100, 512, 512, 0, false, false)); // so is the first one
  CHECK_FALSE(worth(8, 512, 784, 0, 0, false, false));    // too few rows for a copy
  CHECK_FALSE(worth(512, 10, 64, 0, 0, true, false));     // too few columns
  CHECK_FALSE(worth(4096, 4096, 64, 0, 0, true, false));  // the library packs these itself
}

TEST_CASE("an in-place product is a matter of few rows or columns", "[product]") {
  for (const Index rows : {1, 16, 64, 256, 1024, 4096})
    for (const Index columns : {1, 10, 512, 4096}) {
      CHECK(multiplies_in_place(rows, columns) == multiplies_in_place(columns, rows));
      if (multiplies_in_place(rows, columns))
        CHECK(multiplies_in_place(rows / 2 + 1, columns));
    }
  CHECK_FALSE(multiplies_in_place(100000, 100000));
}
