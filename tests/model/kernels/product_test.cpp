#include "model/kernels/product.hpp"
#include "tests/support/random_factors.hpp"

#include <catch2/catch.hpp>

#include <vector>

using namespace troupe;

namespace {

using test::element;
using test::random_factors;

/// The largest difference from the sums written out, over all combinations of transposition, with
/// and without gaps between rows.
template <class Scalar>
double worst_product(Index m, Index n, Index k) {
  double worst = 0;
  for (int variant = 0; variant < 16; ++variant) {
    const bool transpose_a = variant & 1, transpose_b = variant & 2, add = variant & 4;
    const Index gap = variant & 8 ? 3 : 0;
    const auto rows_a = transpose_a ? k : m, columns_a = transpose_a ? m : k;
    const auto rows_b = transpose_b ? n : k, columns_b = transpose_b ? k : n;
    const auto a = random_factors<Scalar>(rows_a * (columns_a + gap), 1);
    const auto b = random_factors<Scalar>(rows_b * (columns_b + gap), 2);
    auto c = random_factors<Scalar>(m * (n + gap), 3);
    const auto before = c;
    Factor<Scalar> left{a.data(), rows_a, columns_a, columns_a + gap};
    Factor<Scalar> right{b.data(), rows_b, columns_b, columns_b + gap};
    left = transpose_a ? transposed(left) : left;
    right = transpose_b ? transposed(right) : right;
    product(left, right, {c.data(), m, n, n + gap}, add ? WriteMode::add : WriteMode::replace);
    for (Index i = 0; i < m; ++i)
      for (Index j = 0; j < n + gap; ++j) {
        const auto at = static_cast<std::size_t>(i * (n + gap) + j);
        double sum = add || j >= n ? before[at] : 0;
        for (Index p = 0; p < (j < n ? k : 0); ++p)
          sum += element(left, i, p) * element(right, p, j);
        worst = std::max(worst, std::abs(sum - c[at]));
      }
  }
  return worst;
}

} // namespace

TEST_CASE("products of all shapes equal the sums written out", "[product]") {
  const Index shapes[][3] = {{1, 1, 1},    {2, 3, 4},    {5, 1, 7},    {1, 9, 3},  {3, 4, 0},
                             {17, 10, 31}, {32, 10, 50}, {40, 33, 29}, {64, 64, 8}};
  for (const auto& [m, n, k] : shapes) {
    INFO(m << " x " << k << " times " << k << " x " << n);
    CHECK(worst_product<float>(m, n, k) < 2e-5);
    CHECK(worst_product<double>(m, n, k) < 1e-13);
  }
}

TEST_CASE("a transposed matrix has the rows as columns, whatever its size", "[product]") {
  const Index shapes[][2] = {{1, 1}, {1, 40}, {40, 1}, {16, 32}, {17, 33}, {50, 7}};
  for (const auto& [rows, columns] : shapes)
    for (const Index gap : {0, 3}) {
      INFO(rows << " x " << columns << ", " << gap << " between rows");
      const auto a = random_factors<float>(rows * (columns + gap), 1);
      const Factor<float> from{a.data(), rows, columns, columns + gap};
      std::vector<float> to(static_cast<std::size_t>(rows * columns));
      transpose(from, to.data());
      const Factor<float> turned{to.data(), columns, rows};
      bool same = true;
      for (Index i = 0; i < rows; ++i)
        for (Index j = 0; j < columns; ++j)
          same = same && element(turned, j, i) == element(from, i, j);
      CHECK(same);
    }
}

TEST_CASE("a repeated product gives the same bits", "[product]") {
  const auto a = random_factors<float>(64 * 100, 1), b = random_factors<float>(100 * 50, 2);
  std::vector<float> first(64 * 50), second(64 * 50);
  product({a.data(), 64, 100}, {b.data(), 100, 50}, {first.data(), 64, 50});
  product({a.data(), 64, 100}, {b.data(), 100, 50}, {second.data(), 64, 50});
  CHECK(first == second);
}
