#include "base/failure.hpp"
#include "model/data/arrays/array_problem.hpp"
#include "model/data/problem_kind.hpp"

#include <catch2/catch.hpp>

#include <limits>

using namespace troupe;
using Catch::Matchers::Contains;

namespace {

/// Six examples of two numbers and one of three classes, in memory of a test.
struct Examples {
  std::vector<float> x{0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11};
  std::vector<std::int32_t> y{0, 1, 2, 0, 1, 2};

  DataSpec spec(bool masked = false) const {
    return {{{"inputs", ElementType::float32, {any_size, 2}}},
            {{"targets", ElementType::class_index, {any_size}, 3, masked}}};
  }
  ArraySection section(std::vector<Index> rows) const {
    return {{{x.data(), nullptr}}, {{nullptr, y.data()}}, std::move(rows)};
  }
  std::shared_ptr<const ArrayProblem> problem(bool masked = false) const {
    return std::make_shared<const ArrayProblem>(
      spec(masked), ArrayProblem::Sections{section({0, 2, 4}), section({1}), section({3, 5})},
      nullptr);
  }
};

std::shared_ptr<const Problem> made(const std::string& handle, const std::string& fit = "") {
  auto section = config::Node::map();
  section.put("handle", config::Node::scalar(handle));
  return problem_kinds().find("arrays")->make(section, "problem", fit, {});
}

} // namespace

TEST_CASE("a batch has the rows of its section, read from the arrays' own memory", "[arrays]") {
  Examples examples;
  const auto problem = examples.problem();
  examples.x[8] = 80; // the problem sees it, since it has no copy
  Batch batch;
  problem->gather(Section::train, std::vector<Index>{2, 0}, batch);
  CHECK(std::vector<float>(batch.inputs[0].values.begin(), batch.inputs[0].values.end())
        == std::vector<float>{80, 9, 0, 1});
  CHECK(std::vector<std::int32_t>(batch.targets[0].classes.begin(), batch.targets[0].classes.end())
        == std::vector<std::int32_t>{1, 0});
  CHECK(problem->size(Section::train) == 3);
  CHECK(problem->size(Section::validation) == 1);
  CHECK(problem->size(Section::test) == 2);
  CHECK_THROWS_AS(problem->gather(Section::validation, std::vector<Index>{1}, batch),
                  std::out_of_range);
}

TEST_CASE("a number that is not finite is refused with its place", "[arrays]") {
  Examples examples;
  examples.x[5] = std::numeric_limits<float>::infinity();
  // cure: , expected a finite number; correct it, or leave the row out
  CHECK_THROWS_WITH(examples.problem(), Contains("inputs, row 2, place 1: found inf")
                                          && Contains("correct it, or leave"));
  examples.x[5] = 5;
  CHECK(examples.problem()->size(Section::train) == 3);
}

TEST_CASE("a class that the field does not have is refused with its row", "[arrays]") {
  Examples examples;
  examples.y[3] = 3;
  CHECK_THROWS_WITH(examples.problem(),
                    Contains("targets, row 3: found class 3, expected 0 to 2; number the classes"));
  examples.y[3] = -1;
  CHECK_THROWS_AS(examples.problem(), DataError);
  CHECK(examples.problem(true)->reading_notes()
        == std::vector<std::string>{"1 of 6 targets are -1 and do not count"});
}

TEST_CASE("a configuration finds arrays by their handle, while their owner keeps them",
          "[arrays]") {
  const Examples examples;
  auto problem = examples.problem();
  const auto handle = hand_over(problem);
  CHECK(made(handle) == problem);
  CHECK(made(handle, problem->fit()) == problem);
  problem.reset();
  CHECK_THROWS_WITH(made(handle), Contains("save them with numpy.save"));
}

TEST_CASE("the fit of arrays makes their fields without their rows", "[arrays]") {
  const Examples examples;
  const auto fit = examples.problem()->fit();
  CHECK(array_fields(fit) == examples.spec());
  CHECK_THROWS_WITH(made("", fit), Contains("save them with numpy.save"));
  // cure: a type that is none; restore its problem.json
  auto damaged = fit;
  damaged.replace(damaged.find("float32"), 7, "float23");
  CHECK_THROWS_WITH(array_fields(damaged),
                    Contains("a type that is none; restore its problem.json"));
  CHECK_THROWS_AS(array_fields("{}"), DataError);
  CHECK_NOTHROW(array_fields(fit));
}

TEST_CASE("arrays of another shape than those of a run are refused", "[arrays]") {
  const Examples examples;
  const ArrayProblem narrow{{{{"inputs", ElementType::float32, {any_size, 1}}},
                             {{"targets", ElementType::class_index, {any_size}, 3}}},
                            {examples.section({0}), examples.section({}), examples.section({})},
                            nullptr};
  const auto problem = examples.problem();
  CHECK_THROWS_WITH(made(hand_over(problem), narrow.fit()),
                    Contains("other fields than those that the run was trained on"));
  // cure: ; give arrays of the same shapes and types, and the same number of classes
  CHECK(made(hand_over(problem), problem->fit()) == problem);
}
