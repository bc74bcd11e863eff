#include "model/training/samples_text.hpp"
#include "tests/support/toy_problem.hpp"

#include <catch2/catch.hpp>

using namespace troupe;
using namespace troupe::test;

TEST_CASE("examples are printed with their targets and predictions", "[M55]") {
  const ToyProblem problem{10, 2};
  ToyModel model;
  CHECK(samples_text(problem, model, std::vector<float>{0.5f}, Section::validation, 5)
        == "example 0\n  x: 0\n  y: 0\n  predicted: 0\n"
           "example 1\n  x: 1\n  y: 2\n  predicted: 0.5\n");
  const ToyProblem empty{10, 0};
  CHECK_THAT(samples_text(empty, model, std::vector<float>{0.5f}, Section::test, 5),
             Catch::Contains("no examples"));
}

TEST_CASE("the largest number of a prediction is its class", "[M55]") {
  CHECK(predicted_classes(std::vector<float>{1, 3, 2, 5, 4, 4}, 3) == std::vector<Index>{1, 0});
}
