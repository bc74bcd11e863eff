#include "model/training/compatibility.hpp"
#include "model/training/model_fit.hpp"
#include "model/zoo/network.hpp"
#include "tests/support/toy_problem.hpp"

#include <catch2/catch.hpp>

using namespace troupe;
using Catch::Contains;

namespace {

/// A model that only declares what it needs.
struct Needs : Model {
  std::vector<FieldSpec> needed{{"x", ElementType::float32, {any_size, 28, 28}, 0}};
  Shape predicts{any_size, 10};
  TargetKind kind = TargetKind::class_index;
  std::string loss = "softmax_cross_entropy";
  Layout nothing;

  std::string name() const override { return "needy"; }
  const Layout& layout() const override { return nothing; }
  std::vector<FieldSpec> inputs() const override { return needed; }
  FieldSpec prediction() const override {
    return {"prediction", ElementType::float32, predicts, 0};
  }
  TargetKind target_kind() const override { return kind; }
  std::string loss_name() const override { return loss; }
  void initialize(std::span<float>, RandomKey) const override {}
  std::span<const float> forward(std::span<const float>, const Batch&) override { return {}; }
  double loss_and_gradient(std::span<const float>, const Batch&, std::span<float>) override {
    return 0;
  }
  void evaluate(std::span<const float>, const Batch&, Metrics&) override {}
  std::unique_ptr<Model> clone() const override { return std::make_unique<Needs>(*this); }
};

Needs needs_numbers(Shape prediction) {
  Needs model;
  model.predicts = std::move(prediction);
  model.kind = TargetKind::same_shape;
  model.loss = "mean_squared_error";
  return model;
}

DataSpec digits() {
  return {{{"x", ElementType::float32, {any_size, 28, 28}, 0}},
          {{"y", ElementType::class_index, {any_size}, 10}}};
}

DataSpec with_target(FieldSpec target) {
  auto data = digits();
  data.targets = {std::move(target)};
  return data;
}

std::string only(const std::vector<std::string>& sentences) {
  return sentences.size() == 1 ? sentences[0]
                               : std::to_string(sentences.size()) + " sentences instead of one";
}

} // namespace

TEST_CASE("a model and a problem that fit give no sentence", "[compatibility][M15][M16]") {
  CHECK(mismatches_of(digits(), Needs{}).empty());
  CHECK(mismatches_of(digits(), Network{digits()}).empty());
  CHECK(mismatches_of(digits(), BasicNetwork<double>{digits()}).empty());
}

TEST_CASE("an open size on either side fits every size", "[compatibility][M15]") {
  Needs model;
  model.needed[0].shape = {any_size, any_size, 28};
  CHECK(mismatches_of(digits(), model).empty());
  auto data = digits();
  data.inputs[0].shape = {any_size, 28, any_size};
  CHECK(mismatches_of(data, model).empty());
  CHECK(mismatches_of(data, Needs{}).empty());
  data.inputs[0].shape = {64, 28, 28};
  CHECK(mismatches_of(data, Needs{}).empty());
}

TEST_CASE("an input that the problem lacks is named, with the known ones", "[compatibility][M15]") {
  Needs model;
  model.needed[0].name = "image";
  CHECK_THAT(only(mismatches_of(digits(), model)), Contains("'image'") && Contains("does not have")
                                                     && Contains("it has: x")
                                                     && Contains("[any, 28, 28]"));
  // cure: ); name one of these as the model's input
  model.needed[0].name = "x";
  CHECK(mismatches_of(digits(), model).empty());
}

TEST_CASE("an input of the wrong number of dimensions shows both shapes", "[compatibility][M15]") {
  auto data = digits();
  data.inputs[0].shape = {any_size, 784};
  CHECK_THAT(only(mismatches_of(data, Needs{})), Contains("'x' has 2 dimensions [any, 784]")
                                                   && Contains("needs 3 dimensions [any, 28, 28]"));
  // cure: ; reshape the problem's data
  data.inputs[0].shape = {any_size, 28, 28};
  CHECK(mismatches_of(data, Needs{}).empty());
}

TEST_CASE("an input of the wrong size shows both shapes and the place", "[compatibility][M15]") {
  auto data = digits();
  data.inputs[0].shape = {any_size, 28, 32};
  CHECK_THAT(only(mismatches_of(data, Needs{})), Contains("'x' has the shape [any, 28, 32]")
                                                   && Contains("[any, 28, 28]")
                                                   && Contains("size 2 differs"));
  // cure: differs; build the model for this problem
  CHECK(mismatches_of(data, Network{data}).empty());
}

TEST_CASE("an input of the wrong type shows both types", "[compatibility][M15]") {
  auto data = digits();
  data.inputs[0].type = ElementType::class_index;
  CHECK_THAT(only(mismatches_of(data, Needs{})),
             Contains("'x' is class_index") && Contains("needs float32"));
  // cure: ; convert the problem's data or choose another model
  Needs other;
  other.needed = data.inputs;
  CHECK(mismatches_of(data, other).empty());
  data.inputs[0].type = ElementType::float32;
  CHECK(mismatches_of(data, Needs{}).empty());
}

TEST_CASE("an input with more classes than the model has is refused", "[compatibility][M15]") {
  Needs model;
  model.needed = {{"words", ElementType::class_index, {any_size}, 100}};
  auto data = digits();
  data.inputs = {{"words", ElementType::class_index, {any_size}, 101}};
  CHECK_THAT(only(mismatches_of(data, model)), Contains("101 classes") && Contains("has 100"));
  // cure: ; build the model for this problem
  auto larger = model;
  larger.needed = data.inputs;
  CHECK(mismatches_of(data, larger).empty());
  data.inputs[0].classes = 100;
  CHECK(mismatches_of(data, model).empty());
}

TEST_CASE("every mismatch gets its own sentence", "[compatibility][M15]") {
  Needs model;
  model.needed.push_back({"mask", ElementType::float32, {any_size, 28}, 0});
  auto data = digits();
  data.inputs[0].shape = {any_size, 5, 5};
  data.targets.clear();
  CHECK(mismatches_of(data, model).size() == 3);
}

TEST_CASE("a loss that compares numbers needs the dimensions and sizes of the prediction",
          "[compatibility][M16]") {
  const auto model = needs_numbers({any_size, 3});
  CHECK(mismatches_of(with_target({"y", ElementType::float32, {any_size, 3}, 0}), model).empty());
  CHECK(mismatches_of(with_target({"y", ElementType::float32, {any_size, any_size}, 0}), model)
          .empty());
  CHECK_THAT(only(mismatches_of(with_target({"y", ElementType::float32, {any_size}, 0}), model)),
             Contains("mean_squared_error") && Contains("as many dimensions")
               && Contains("prediction [any, 3]") && Contains("float32 [any]"));
  CHECK_THAT(only(mismatches_of(with_target({"y", ElementType::float32, {any_size, 4}, 0}), model)),
             Contains("sizes") && Contains("[any, 3]") && Contains("[any, 4]"));
  // cure: ; build the model for this problem
  CHECK(mismatches_of(with_target({"y", ElementType::float32, {any_size, 4}, 0}),
                      needs_numbers({any_size, 4}))
          .empty());
  // cure: ; reshape the target
  CHECK(mismatches_of(with_target({"y", ElementType::float32, {any_size, 1}, 0}),
                      needs_numbers({any_size, 1}))
          .empty());
  CHECK_THAT(only(mismatches_of(digits(), model)),
             Contains("not with classes") && Contains("softmax_cross_entropy"));
  // cure: ; use softmax_cross_entropy
  CHECK(mismatches_of(digits(), Needs{}).empty());
}

TEST_CASE("a loss on classes needs one dimension less than the prediction",
          "[compatibility][M16]") {
  const auto mismatch = only(
    mismatches_of(with_target({"y", ElementType::class_index, {any_size, 10}, 10}), Needs{}));
  CHECK_THAT(mismatch, Contains("softmax_cross_entropy") && Contains("one dimension less")
                         && Contains("prediction [any, 10]") && Contains("class_index [any, 10]"));
  // cure: ; give one class, not one number for each class
  CHECK(
    mismatches_of(with_target({"y", ElementType::class_index, {any_size}, 10}), Needs{}).empty());
  CHECK_THAT(only(mismatches_of(with_target({"y", ElementType::float32, {any_size}, 0}), Needs{})),
             Contains("not with numbers") && Contains("mean_squared_error"));
  // cure: ; use mean_squared_error or binary_cross_entropy
  for (const auto* loss : {"mean_squared_error", "binary_cross_entropy"}) {
    auto of_numbers = needs_numbers({any_size});
    of_numbers.loss = loss;
    CHECK(
      mismatches_of(with_target({"y", ElementType::float32, {any_size}, 0}), of_numbers).empty());
  }
}

TEST_CASE("a loss on classes needs a class for each row", "[compatibility][M16]") {
  Needs model;
  model.predicts = {any_size, 5, 10};
  const auto with_rows = [](Index rows) {
    return with_target({"y", ElementType::class_index, {any_size, rows}, 10});
  };
  CHECK(mismatches_of(with_rows(5), model).empty());
  CHECK_THAT(only(mismatches_of(with_rows(6), model)),
             Contains("each row") && Contains("[any, 6]"));
  // cure: ; build the model for this problem
  model.predicts = {any_size, 6, 10};
  CHECK(mismatches_of(with_rows(6), model).empty());
}

TEST_CASE("a loss on classes needs an output for each class", "[compatibility][M16]") {
  const auto with_classes = [](Index classes) {
    return with_target({"y", ElementType::class_index, {any_size}, classes});
  };
  CHECK(mismatches_of(with_classes(9), Needs{}).empty());
  CHECK_THAT(only(mismatches_of(with_classes(11), Needs{})),
             Contains("11 classes") && Contains("predicts 10") && Contains("[any, 10]"));
  // cure: ; build the model for this problem
  Needs wider;
  wider.predicts = {any_size, 11};
  CHECK(mismatches_of(with_classes(11), wider).empty());
}

TEST_CASE("a problem without a target is reported", "[compatibility][M16]") {
  auto data = digits();
  data.targets.clear();
  CHECK_THAT(only(mismatches_of(data, Needs{})), Contains("no target"));
  // cure: the problem has no target; give it one
  data.targets = {{"y", ElementType::class_index, {any_size}, 10}};
  CHECK(mismatches_of(data, Needs{}).empty());
}

TEST_CASE("unused inputs and targets are named", "[compatibility][B51]") {
  DataSpec problem;
  problem.inputs = {{"x", ElementType::float32, {any_size, 1}, 0},
                    {"weight", ElementType::float32, {any_size, 1}, 0}};
  problem.targets = {{"y", ElementType::float32, {any_size, 1}, 0},
                     {"z", ElementType::float32, {any_size, 1}, 0}};
  const std::vector<FieldSpec> all = problem.inputs;
  CHECK(unused_sources(problem, all) == std::vector<std::string>{"z"});
  CHECK(unused_sources(problem, {all.front()}) == std::vector<std::string>{"weight", "z"});
  problem.targets.pop_back();
  CHECK(unused_sources(problem, all).empty());
}

TEST_CASE("the policies for unused sources have names, and no others", "[compatibility][B51]") {
  for (auto policy : {UnusedSources::raise, UnusedSources::warn, UnusedSources::ignore}) {
    auto read = UnusedSources::ignore;
    CHECK(from_text(to_string(policy), read));
    CHECK(read == policy);
  }
  auto unchanged = UnusedSources::warn;
  CHECK_FALSE(from_text("panic", unchanged));
  CHECK(unchanged == UnusedSources::warn);
}

TEST_CASE("a field without the batch in front is refused", "[compatibility]") {
  struct Described : test::ToyProblem {
    using ToyProblem::ToyProblem;
    DataSpec described = ToyProblem::spec();
    const DataSpec& spec() const override { return described; }
  };
  Described problem{10};
  problem.described.inputs.front().shape = {1};
  CHECK_THROWS_WITH(check_fit(problem, test::ToyModel{}),
                    "input 'x' has the shape [1] without the batch; put any_size in front");
  problem.described.inputs.front().shape = {any_size, 1};
  problem.described.targets.front().shape = {1};
  CHECK_THROWS_WITH(check_fit(problem, test::ToyModel{}), Contains("target 'y'"));
  // cure: without the batch; put any_size in front
  problem.described.targets.front().shape = {any_size, 1};
  CHECK_NOTHROW(check_fit(problem, test::ToyModel{}));
}
