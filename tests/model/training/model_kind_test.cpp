#include "base/exit_codes.hpp"
#include "model/data/images/digits.hpp"
#include "model/data/problem_kind.hpp"
#include "model/optimizers/optimizer_kind.hpp"
#include "model/optimizers/sgd.hpp"
#include "model/training/model_kind.hpp"
#include "model/zoo/network.hpp"

#include <catch2/catch.hpp>

using namespace troupe;
using Catch::Contains;

namespace {

// Of a test's own: registered as those of the library are.
const RegisterProblem own_problem{
  problem_kind<Digits, DigitsOptions>("problem_of_a_test", {.train = 30})};
const RegisterModel own_model{
  model_kind<Network, NetworkOptions>("model_of_a_test", {.hidden = {3}})};
const RegisterOptimizer own_optimizer{
  optimizer_kind<Sgd, SgdOptions>("optimizer_of_a_test", {.learning_rate = 0.5})};

config::Node section_of(const std::string& key, const std::string& value) {
  auto section = config::Node::map();
  section.put("name", config::Node::scalar("its name"));
  section.put(key, config::Node::scalar(value));
  return section;
}

} // namespace

TEST_CASE("a registered problem is made with the options of its section over its defaults",
          "[problem_kind]") {
  const auto* kind = problem_kinds().find("problem_of_a_test");
  REQUIRE(kind != nullptr);
  CHECK(kind->makes_examples);
  CHECK(kind->defaults().find("train")->text() == "30");
  const auto problem = kind->make(section_of("test", "10"), "problem", "", {});
  CHECK(problem->size(Section::train) == 30);
  CHECK(problem->size(Section::test) == 10);
  CHECK_THROWS_WITH(kind->make(section_of("tests", "10"), "problem", "", {}),
                    Contains("unknown key 'tests' in problem"));
}

TEST_CASE("a registered model is made for the data of a problem", "[model_kind]") {
  const auto* kind = model_kinds().find("model_of_a_test");
  REQUIRE(kind != nullptr);
  const Digits digits{{.train = 30, .validation = 0, .test = 10}};
  const auto model = kind->make(section_of("activation", "tanh"), "model", digits.spec());
  CHECK(model->layout().find("linear0.weight")->shape.back() == 3);
}

TEST_CASE("a registered optimizer is checked before any trainer makes one", "[optimizer_kind]") {
  const auto* kind = optimizer_kinds().find("optimizer_of_a_test");
  REQUIRE(kind != nullptr);
  CHECK(kind->make(section_of("momentum", "0.9"), "optimizer")(4)->learning_rate() == 0.5);
  CHECK_THROWS_AS(kind->make(section_of("momentum", "2"), "optimizer"), std::invalid_argument);
}

TEST_CASE("each problem, model and optimizer of the library is registered once", "[model_kind]") {
  CHECK(problem_kinds().repeated().empty());
  CHECK(model_kinds().repeated().empty());
  CHECK(optimizer_kinds().repeated().empty());
  CHECK(problem_kinds().find("csv") != nullptr);
  CHECK(model_kinds().find("network") != nullptr);
  CHECK(optimizer_kinds().find("nesterov") != nullptr);
}
