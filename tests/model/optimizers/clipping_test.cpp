#include "model/optimizers/clipping.hpp"

#include <catch2/catch.hpp>

#include <cmath>
#include <limits>
#include <stdexcept>
#include <vector>

using namespace troupe;

TEST_CASE("a gradient of 100 is clipped to 10, element by element", "[clipping][M18]") {
  std::vector<float> gradient{100, -100, 3, -10, 0};
  clip_elements(gradient, 10);
  CHECK(gradient == std::vector<float>{10, -10, 3, -10, 0});
}

TEST_CASE("clipping elements keeps NaN and moves infinity to the limit", "[clipping]") {
  constexpr auto infinity = std::numeric_limits<float>::infinity();
  std::vector<float> gradient{std::nanf(""), infinity, -infinity};
  clip_elements(gradient, 2);
  CHECK(std::isnan(gradient[0]));
  CHECK(gradient[1] == 2);
  CHECK(gradient[2] == -2);
}

TEST_CASE("clipping by norm shortens a long gradient and keeps its direction", "[clipping][B50]") {
  std::vector<float> gradient{3, 4};
  CHECK(clip_norm(gradient, 1) == Approx(5));
  CHECK(gradient[0] == Approx(0.6f));
  CHECK(gradient[1] == Approx(0.8f));
}

TEST_CASE("clipping by norm does not change a short gradient", "[clipping][B50]") {
  std::vector<float> gradient{3, 4};
  CHECK(clip_norm(gradient, 5) == Approx(5));
  CHECK(gradient == std::vector<float>{3, 4});
}

TEST_CASE("a norm beyond the range of float is still clipped", "[clipping]") {
  std::vector<float> gradient(4, 1e30f);
  CHECK(clip_norm(gradient, 1) == Approx(2e30));
  CHECK(gradient[0] == Approx(0.5f));
}

TEST_CASE("a gradient that is not finite keeps its values, and its norm shows it", "[clipping]") {
  std::vector<float> gradient{1, std::nanf(""), 3};
  CHECK(std::isnan(clip_norm(gradient, 1)));
  CHECK(gradient[0] == 1);
  CHECK(gradient[2] == 3);
  gradient[1] = std::numeric_limits<float>::infinity();
  CHECK(std::isinf(clip_norm(gradient, 1)));
  CHECK(gradient[0] == 1);
}

TEST_CASE("a limit that is not positive is refused", "[clipping]") {
  std::vector<float> gradient{1};
  CHECK_THROWS_AS(clip_elements(gradient, 0), std::invalid_argument);
  CHECK_THROWS_AS(clip_elements(gradient, std::nanf("")), std::invalid_argument);
  CHECK_THROWS_AS(clip_norm(gradient, -1), std::invalid_argument);
}

TEST_CASE("clipping by parameter norm does not change the other parameters", "[clipping][B50]") {
  Layout layout;
  layout.add("a", {2});
  layout.add("b", {2, 1});
  std::vector<float> gradient{3, 4, 0.3f, 0.4f};
  CHECK(clip_parameter_norms(layout, gradient, 1) == Approx(std::sqrt(25.25)));
  CHECK(gradient[0] == Approx(0.6f));
  CHECK(gradient[1] == Approx(0.8f));
  CHECK(gradient[2] == 0.3f);
  CHECK(gradient[3] == 0.4f);
  CHECK_THROWS_AS(clip_parameter_norms(layout, gradient, 0), std::invalid_argument);
}
