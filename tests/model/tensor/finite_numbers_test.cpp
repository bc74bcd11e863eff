#include "model/tensor/finite_numbers.hpp"
#include "model/tensor/split_write.hpp"
#include "model/training/batch_gradient.hpp"

#include <catch2/catch.hpp>

#include <algorithm>
#include <cmath>
#include <limits>
#include <vector>

using namespace troupe;

namespace {

bool looks_finite(const Layout& layout, const std::vector<float>& values) {
  BatchGradient gradient{layout.size()};
  std::copy(values.begin(), values.end(), gradient.begin().begin());
  return gradient.looks_finite(layout);
}

} // namespace

TEST_CASE("numbers are finite where none is infinite or NaN, at any position", "[learner]") {
  for (const std::size_t size : {1, 7, 1000}) {
    std::vector<float> numbers(size, std::numeric_limits<float>::max());
    CHECK(all_finite(numbers));
    for (const auto wrong :
         {std::numeric_limits<float>::infinity(), -std::numeric_limits<float>::infinity(),
          std::numeric_limits<float>::quiet_NaN()})
      for (const auto at : {std::size_t{0}, size / 2, size - 1}) {
        auto spoiled = numbers;
        spoiled[at] = wrong;
        CHECK_FALSE(all_finite(spoiled));
      }
  }
  CHECK(all_finite({}));
}

TEST_CASE("a gradient with a row or column that is not finite has edges that are not",
          "[learner]") {
  Layout layout;
  layout.add("weight", {30, 20});
  layout.add("kernel", {3, 5, 7});
  layout.add("bias", {20});
  layout.add("narrow", {40, 4});
  const auto size = static_cast<std::size_t>(layout.size());
  const auto nan = std::numeric_limits<float>::quiet_NaN();
  CHECK(looks_finite(layout, std::vector<float>(size, 1)));
  for (const auto& parameter : layout.parameters()) {
    const auto rows = parameter.shape.front(), width = parameter.size() / rows;
    for (Index row = 0; row < rows; ++row) {
      std::vector<float> gradient(size, 1);
      std::fill_n(gradient.begin() + parameter.offset + row * width, width, nan);
      CHECK_FALSE(looks_finite(layout, gradient));
    }
    for (Index column = 0; column < width; ++column) {
      std::vector<float> gradient(size, 1);
      for (Index row = 0; row < rows; ++row)
        gradient[static_cast<std::size_t>(parameter.offset + row * width + column)] = nan;
      CHECK_FALSE(looks_finite(layout, gradient));
    }
  }
}

TEST_CASE("elements of a gradient that are not finite are removed, and no others",
          "[learner][B50]") {
  Layout layout;
  layout.add("a", {2});
  layout.add("b", {3});
  layout.add("c", {1});
  std::vector<float> gradient{1, 2, 3, -std::numeric_limits<float>::infinity(), 5, std::nanf("")};
  CHECK(remove_not_finite(layout, gradient) == 2);
  CHECK(gradient == std::vector<float>{1, 2, 0, 0, 0, 0});
  CHECK(remove_not_finite(layout, gradient) == 0);
}

TEST_CASE("a thread pool finds a number that is not finite in any thread's part",
          "[learner][threads]") {
  ThreadPool pool{3};
  const ThreadPoolScope threads{&pool};
  std::vector<float> numbers(static_cast<std::size_t>(split_from) + 1, 1.0f);
  CHECK(all_finite(numbers));
  for (const auto at : {std::size_t{0}, numbers.size() / 2, numbers.size() - 1}) {
    auto spoiled = numbers;
    spoiled[at] = std::numeric_limits<float>::quiet_NaN();
    CHECK_FALSE(all_finite(spoiled));
  }
}
