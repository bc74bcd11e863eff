#include "model/optimizers/untrained_elements.hpp"

#include <catch2/catch.hpp>

using namespace troupe;

namespace {

Layout one_of_each_role() {
  Layout layout;
  layout.add("weight", {2});
  layout.add("frozen", {1}, ParameterRole::frozen);
  layout.add("mean", {2}, ParameterRole::statistic);
  return layout;
}

} // namespace

TEST_CASE("frozen elements stay and statistics move by their change, whatever the step did",
          "[untrained_elements]") {
  UntrainedElements untrained{one_of_each_role()};
  std::vector<float> parameters{1, 2, 3, 4, 5}, gradient{10, 20, 30, 40, 50};
  untrained.take(parameters, gradient);
  CHECK(gradient == std::vector<float>{10, 20, 0, 0, 0});
  std::vector<float> stepped{-1, -2, -3, -4, -5};
  untrained.put(stepped);
  CHECK(stepped == std::vector<float>{-1, -2, 3, 44, 55});
}

TEST_CASE("where all parameters are trained, no element is set aside", "[untrained_elements]") {
  Layout layout;
  layout.add("weight", {3});
  UntrainedElements untrained{layout};
  std::vector<float> parameters{1, 2, 3}, gradient{4, 5, 6};
  untrained.take(parameters, gradient);
  CHECK(gradient == std::vector<float>{4, 5, 6});
  untrained.put(parameters);
  CHECK(parameters == std::vector<float>{1, 2, 3});
}
