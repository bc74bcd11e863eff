#include "base/failure.hpp"
#include "model/data/arrays/own_arrays.hpp"

#include <catch2/catch.hpp>

#include <limits>
#include <numeric>

using namespace troupe;
using Catch::Contains;

TEST_CASE("vectors become a problem whose sections have all rows once", "[own_arrays]") {
  const auto problem = own_arrays({{"x", std::vector<float>{0, 1, 10, 11, 20, 21, 30, 31}, {2}}},
                                  {{"y", std::vector<std::int32_t>{0, 1, 2, 3}}},
                                  {.validation_fraction = 0.25, .test_fraction = 0.25});
  CHECK(to_string(problem->spec().inputs.front()) == "x float32 [any, 2]");
  CHECK(problem->spec().targets.front().classes == 4);
  std::vector<std::int32_t> seen;
  for (const auto section : {Section::train, Section::validation, Section::test}) {
    std::vector<Index> rows(static_cast<std::size_t>(problem->size(section)));
    std::iota(rows.begin(), rows.end(), Index{0});
    Batch batch;
    problem->gather(section, rows, batch);
    for (std::size_t i = 0; i < rows.size(); ++i) {
      const auto y = batch.targets[0].classes[i];
      seen.push_back(y);
      CHECK(batch.inputs[0].values[2 * i] == 10.0f * static_cast<float>(y));
      CHECK(batch.inputs[0].values[2 * i + 1] == 10.0f * static_cast<float>(y) + 1);
    }
  }
  std::sort(seen.begin(), seen.end());
  CHECK(seen == std::vector<std::int32_t>{0, 1, 2, 3});
}

TEST_CASE("the number of classes can be more than the vectors show", "[own_arrays]") {
  const auto problem
    = own_arrays({{"x", std::vector<float>{1, 2}}}, {{"y", std::vector<std::int32_t>{0, 1}, 5}},
                 {.validation_fraction = 0, .test_fraction = 0});
  CHECK(problem->spec().targets.front().classes == 5);
}

TEST_CASE("vectors that do not belong together are refused with their names", "[own_arrays]") {
  const OwnArray y{"y", std::vector<std::int32_t>{0, 1}};
  const OwnArray x{"x", std::vector<float>{1, 2, 3, 4}, {2}};
  CHECK_THROWS_WITH(own_arrays({{"x", std::vector<float>{1, 2, 3}, {2}}}, {y}),
                    Contains("'x' has 3 numbers, which is no multiple of the 2 of one example"));
  // cure: of one example; give whole examples of the field's shape
  CHECK_NOTHROW(own_arrays({x}, {y}));
  CHECK_THROWS_WITH(own_arrays({{"x", std::vector<float>{1, 2, 3}}}, {y}),
                    Contains("'y' has 2 examples, but 'x' has 3"));
  // cure: ; give each field a value for each example
  CHECK_NOTHROW(own_arrays({{"x", std::vector<float>{1, 2}}}, {y}));
  CHECK_THROWS_WITH(own_arrays({x}, {}), Contains("needs an input and a target"));
  // cure: an input and a target; give it at least one of each
  CHECK_NOTHROW(own_arrays({x}, {y}));
  CHECK_THROWS_WITH(own_arrays({{"x", std::vector<float>{1, 2}, {0}}}, {y}),
                    Contains("has a size below 1"));
  // cure: has a size below 1; give the shape of one example
  CHECK_NOTHROW(own_arrays({x}, {y}));
}

TEST_CASE("a number of a vector that is not finite is refused", "[own_arrays]") {
  CHECK_THROWS_AS(own_arrays({{"x", std::vector{1, std::numeric_limits<float>::infinity()}}},
                             {{"y", std::vector<std::int32_t>{0, 1}}},
                             {.validation_fraction = 0, .test_fraction = 0}),
                  DataError);
}
