#include "model/data/arrays/own_arrays.hpp"
#include "model/data/images/digits.hpp"
#include "model/facade/learn.hpp"
#include "model/zoo/network.hpp"
#include "tests/support/data_files.hpp"
#include "tests/support/toy_problem.hpp"

#include <catch2/catch.hpp>

#include <cmath>

using namespace troupe;
using namespace troupe::test;
using Catch::Contains;

namespace {

/// Points of the plane, and whether their coordinates have the same sign.
std::shared_ptr<const ArrayProblem> signs(Index points = 600, const SplitOptions& split = {}) {
  std::vector<float> numbers;
  std::vector<std::int32_t> classes;
  Random random{RandomKey{3}};
  for (Index i = 0; i < points; ++i) {
    const auto x = random.normal(), y = random.normal();
    numbers.insert(numbers.end(), {static_cast<float>(x), static_cast<float>(y)});
    classes.push_back(x * y > 0 ? 1 : 0);
  }
  return own_arrays({{"point", numbers, {2}}}, {{"same_sign", classes}}, split);
}

LearnOptions quick() {
  return {.model = {"mlp", {{"hidden", {16}}}},
          .optimizer = {"adam", {{"learning_rate", 0.02}}},
          .epochs = 15,
          .batch_size = 32};
}

} // namespace

TEST_CASE("vectors of a program become a trained model with its accuracy", "[facade]") {
  const auto problem = signs();
  const auto model = learn(problem, quick());
  const auto metrics = model.evaluate(problem);
  CHECK(metrics.at("accuracy") > 0.9);
  CHECK(metrics.at("loss") < 0.3);
}

TEST_CASE("a learned model follows from its seed alone", "[facade]") {
  const auto problem = signs(100);
  auto options = quick();
  options.epochs = 2;
  const auto first = learn(problem, options), again = learn(problem, options);
  CHECK(first.parameters() == again.parameters());
  options.seed = 1;
  CHECK_FALSE(learn(problem, options).parameters() == first.parameters());
}

TEST_CASE("options of a component are given by name or as its struct", "[facade]") {
  const auto problem = signs(100);
  auto by_name = quick();
  by_name.epochs = 1;
  by_name.model = {"mlp", {{"hidden", {8, 4}}, {"activation", "tanh"}, {"label_smoothing", 0.1}}};
  auto as_struct = by_name;
  as_struct.model
    = {"mlp", NetworkOptions{.hidden = {8, 4}, .activation = "tanh", .label_smoothing = 0.1}};
  CHECK(learn(problem, by_name).parameters() == learn(problem, as_struct).parameters());
}

TEST_CASE("each epoch is reported, and can be the last", "[facade]") {
  const auto problem = signs(200);
  auto options = quick();
  std::vector<EpochResult> results;
  options.after_epoch = [&](const EpochResult& result) {
    results.push_back(result);
    return result.epoch < 3;
  };
  learn(problem, options);
  REQUIRE(results.size() == 3);
  CHECK(results[2].epoch == 3);
  CHECK(results[2].loss < results[0].loss);
  CHECK(results[2].validation.count("accuracy") == 1);
}

TEST_CASE("a problem without rows for validation trains without it", "[facade]") {
  const auto problem = signs(100, {.validation_fraction = 0, .test_fraction = 0});
  auto options = quick();
  options.epochs = 1;
  options.after_epoch = [](const EpochResult& result) { return result.validation.empty(); };
  const auto model = learn(problem, options);
  CHECK_THROWS_WITH(model.evaluate(problem), Contains("no example for test"));
  // cure: ; leave rows for it when you split the data
  CHECK(model.evaluate(signs(100)).count("accuracy") == 1);
}

TEST_CASE("a model that is saved and loaded predicts the same", "[facade]") {
  const DataFolder folder;
  const auto path = folder.path("signs.safetensors");
  const auto problem = signs(200);
  auto options = quick();
  options.model = {"mlp", {{"hidden", {8}}, {"activation", "silu"}, {"frozen", {"*.bias"}}}};
  auto model = learn(problem, options);
  model.save(path);
  auto loaded = LearnedModel::load(path);
  const std::vector<float> points{1, 1, 1, -1, 0.5f, -2};
  CHECK(loaded.predict(points) == model.predict(points));
  CHECK(loaded.predict(points).size() == 6);
  CHECK(loaded.predict_classes(points) == model.predict_classes(points));
  CHECK(loaded.evaluate(problem) == model.evaluate(problem));
  CHECK(to_string(loaded.data().inputs.front()) == to_string(problem->spec().inputs.front()));
}

TEST_CASE("a file of another program is not loaded as a learned model", "[facade]") {
  const DataFolder folder;
  const std::string header = R"({"w":{"dtype":"F32","shape":[1],"data_offsets":[0,4]}})";
  std::string file(8, '\0');
  file[0] = static_cast<char>(header.size());
  const auto path = folder.write("other.safetensors", file + header + std::string(4, '\0'));
  CHECK_THROWS_WITH(LearnedModel::load(path), Contains("does not say which model"));
  // cure: its parameters are of; give a file that LearnedModel::save has written
  learn(signs(100), quick()).save(path);
  CHECK_NOTHROW(LearnedModel::load(path));
}

TEST_CASE("what cannot be learned is refused with the cure", "[facade]") {
  const auto problem = signs(100);
  auto options = quick();
  const auto refused = [&](const std::string& sentence) {
    CHECK_THROWS_WITH(learn(problem, options), Contains(sentence));
  };
  SECTION("an unknown model") {
    options.model = {"mpl"};
    refused("model.name is 'mpl' (in the program), which is unknown; did you mean 'mlp'?");
  }
  SECTION("an unknown option") {
    options.model = {"mlp", {{"hiden", {3}}}};
    refused("'hidden'");
  }
  SECTION("an option of the wrong type") {
    options.optimizer = {"adam", {{"learning_rate", "fast"}}};
    refused("learning_rate");
  }
  SECTION("an option out of range") {
    options.optimizer = {"adam", {{"learning_rate", -1}}};
    refused("optimizer 'adam'");
  }
  SECTION("no problem") {
    CHECK_THROWS_WITH(learn(nullptr, options), Contains("a null pointer"));
    // cure: learn from (a null pointer); give one
    CHECK_NOTHROW(learn(problem, options));
  }
}

TEST_CASE("predictions need whole examples", "[facade]") {
  auto model = learn(signs(100), quick());
  CHECK_THROWS_WITH(model.predict(std::vector{1.0f, 2.0f, 3.0f}),
                    Contains("3 numbers do not fit input point float32 [any, 2]"));
  // cure: ; give whole examples, as many for each input
  CHECK(model.predict(std::vector{1.0f, 2.0f, 3.0f, 4.0f}).size() == 4);
}

TEST_CASE("parameters and inputs have to be those of the model", "[facade]") {
  const auto problem = signs(100);
  const Component small{"mlp", {{"hidden", {2}}}}, large{"mlp", {{"hidden", {4}}}};
  const auto parameters = learn(problem, {.model = small, .epochs = 1}).parameters();
  CHECK_THROWS_WITH(LearnedModel(large, problem->spec(), parameters),
                    Contains("model 'mlp' has 22 parameters, but 12"));
  // cure: are given; give those of a model with the same options
  LearnedModel model{small, problem->spec(), parameters};
  const std::vector<float> point{1, 2};
  CHECK_THROWS_WITH(model.predict(std::vector<std::span<const float>>{}),
                    Contains("has 1 inputs, but 0"));
  // cure: are given; give an array for each
  CHECK(model.predict(std::vector<std::span<const float>>{point}).size() == 2);
}

TEST_CASE("a problem without training rows is refused", "[facade]") {
  CHECK_THROWS_WITH(learn(std::make_shared<ToyProblem>(0), ToyModel{}, {.optimizer = {"sgd"}}),
                    Contains("problem 'toy' has no example to train on"));
  // cure: no example to train on; leave rows for training when you split the data
  CHECK_NOTHROW(learn(std::make_shared<ToyProblem>(10), ToyModel{},
                      {.optimizer = {"sgd", {{"learning_rate", 1e-4}}}, .epochs = 1}));
}

TEST_CASE("numbers are learned as well as classes", "[facade]") {
  std::vector<float> x, y;
  for (auto i = 0; i < 200; ++i) {
    x.push_back(static_cast<float>(i) / 100 - 1);
    y.push_back(3 * x.back());
  }
  const auto problem = own_arrays({{"x", x}}, {{"y", y}});
  auto model = learn(problem, {.model = {"mlp", {{"hidden", std::initializer_list<OptionValue>{}}}},
                               .optimizer = {"adam", {{"learning_rate", 0.1}}},
                               .epochs = 60,
                               .batch_size = 16});
  CHECK(model.predict(std::vector{0.5f}).front() == Approx(1.5).margin(0.05));
}

TEST_CASE("a model of the program's own is learned, and saved once it has a name", "[facade]") {
  const auto problem = std::make_shared<ToyProblem>(30);
  auto model
    = learn(problem, ToyModel{},
            {.optimizer = {"sgd", {{"learning_rate", 1e-3}}}, .epochs = 20, .batch_size = 10});
  CHECK(model.predict(std::vector{3.0f}).front() == Approx(6).margin(0.01));
  const DataFolder folder;
  const auto path = folder.path("toy.safetensors");
  CHECK_THROWS_WITH(model.save(path), Contains("model 'toy' was not made by its name"));
  auto named = learn(signs(100), quick()); // mlp is registered
  CHECK_NOTHROW(named.save(path));
}
