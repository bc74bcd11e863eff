#include "apps/plots/decimation.hpp"

#include <catch2/catch.hpp>

#include <algorithm>
#include <cmath>
#include <limits>

using namespace troupe;

namespace {

CurveData wave(std::size_t points) {
  CurveData curve;
  for (std::size_t i = 0; i < points; ++i) {
    curve.x.push_back(static_cast<double>(i));
    curve.y.push_back(std::sin(static_cast<double>(i) / 100));
  }
  return curve;
}

} // namespace

TEST_CASE("a short curve keeps all its points", "[dashboard]") {
  const auto curve = wave(50);
  CHECK(decimated(curve, 50).x == curve.x);
}

TEST_CASE("a long curve keeps its peaks, its ends and its order", "[dashboard]") {
  auto curve = wave(100'000);
  curve.y[31'415] = 40;
  curve.y[92'653] = -50;
  const auto few = decimated(curve, 200);
  CHECK(few.x.size() <= 200);
  CHECK(few.x.size() > 100);
  CHECK(few.x.front() == 0);
  CHECK(few.x.back() == 99'999);
  CHECK(std::is_sorted(few.x.begin(), few.x.end()));
  CHECK(*std::max_element(few.y.begin(), few.y.end()) == 40);
  CHECK(*std::min_element(few.y.begin(), few.y.end()) == -50);
}

TEST_CASE("each point of a long curve is one of its points", "[dashboard]") {
  const auto curve = wave(5'000);
  const auto few = decimated(curve, 99);
  for (std::size_t i = 0; i < few.x.size(); ++i)
    CHECK(few.y[i] == curve.y[static_cast<std::size_t>(few.x[i])]);
}

TEST_CASE("a part of a curve without finite values stays a gap", "[dashboard]") {
  auto curve = wave(10'000);
  std::fill(curve.y.begin() + 4'000, curve.y.begin() + 6'000,
            std::numeric_limits<double>::quiet_NaN());
  const auto few = decimated(curve, 100);
  CHECK(std::any_of(few.y.begin(), few.y.end(), [](double y) { return std::isnan(y); }));
}

TEST_CASE("points without a place on the axis are left out of a long curve", "[dashboard]") {
  auto curve = wave(1'000);
  curve.x[500] = std::numeric_limits<double>::quiet_NaN();
  for (const auto x : decimated(curve, 100).x)
    CHECK(std::isfinite(x));
  std::fill(curve.x.begin(), curve.x.end(), std::numeric_limits<double>::quiet_NaN());
  CHECK(decimated(curve, 100).x.empty());
}
