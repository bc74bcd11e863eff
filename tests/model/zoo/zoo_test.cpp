// The networks of the zoo: their shapes, and their gradients against finite differences.
#include "model/zoo/char_lstm.hpp"
#include "model/zoo/gpt_mini.hpp"
#include "model/zoo/lstm_tagger.hpp"
#include "model/zoo/resnet_small.hpp"
#include "tests/support/gradient_check.hpp"

#include <catch2/catch.hpp>

using namespace troupe;
using Catch::Contains;

namespace {

constexpr Index places = 4, tokens = 5;

DataSpec characters() {
  return {{{"text", ElementType::float32, {any_size, places}, tokens}},
          {{"next", ElementType::class_index, {any_size, places}, tokens}}};
}

DataSpec pictures() {
  return {{{"images", ElementType::float32, {any_size, 6, 6}, 0}},
          {{"label", ElementType::class_index, {any_size}, 3}}};
}

BasicBatch<double> some_batch(const DataSpec& data) {
  constexpr Index examples = 3;
  Random random{{7}};
  BasicBatch<double> batch;
  batch.size = examples;
  batch.inputs.resize(1);
  batch.targets.resize(1);
  const auto& input = data.inputs.front();
  for (Index i = 0; i < examples * input.width(); ++i)
    batch.inputs[0].values.push_back(
      input.classes > 0 ? static_cast<double>(random.below(std::uint64_t(input.classes)))
                        : random.uniform());
  const auto& target = data.targets.front();
  for (Index i = 0; i < examples * target.width(); ++i)
    batch.targets[0].classes.push_back(
      static_cast<std::int32_t>(random.below(std::uint64_t(target.classes))));
  return batch;
}

/// The largest relative error of the gradient w.r.t. all trained parameters.
double worst_zoo_gradient(BasicModel<double>& model, const DataSpec& data) {
  Buffer<double> parameters(static_cast<std::size_t>(model.layout().size()));
  model.initialize(parameters, {2});
  Random random{{5}};
  for (auto& p :
       parameters) // initial embeddings are so small that the following norm is too curved
    p += random.uniform(-0.5, 0.5);
  const auto batch = some_batch(data);
  Buffer<double> gradient(parameters.size(), 99.0), unused(parameters.size());
  model.loss_and_gradient(parameters, batch, gradient);
  const auto loss = [&] { return model.loss_and_gradient(parameters, batch, unused); };
  double worst = 0;
  for (const auto& parameter : model.layout().parameters()) {
    const auto offset = static_cast<std::size_t>(parameter.offset);
    const auto size = static_cast<std::size_t>(parameter.size());
    if (parameter.role == ParameterRole::trained)
      worst
        = std::max(worst, test::gradient_error(std::span{parameters}.subspan(offset, size),
                                               std::span{gradient}.subspan(offset, size), loss));
  }
  return worst;
}

} // namespace

TEST_CASE("char_lstm predicts a token at each position, with the right gradient", "[zoo]") {
  const auto model = make_char_lstm<double>(characters(), {.width = 3, .hidden = 4, .layers = 2});
  CHECK(model->prediction().shape == Shape{any_size, places, tokens});
  CHECK(model->name() == "char_lstm");
  CHECK(worst_zoo_gradient(*model, characters()) < 1e-6);
}

TEST_CASE("lstm_tagger predicts a class at each position from both sides, with the right gradient",
          "[zoo]") {
  const auto model = make_lstm_tagger<double>(characters(), {.width = 3, .hidden = 2, .layers = 2});
  CHECK(model->prediction().shape == Shape{any_size, places, tokens});
  CHECK(model->layout().find("lstm1.backward.weight")->shape == Shape{4, 8});
  CHECK(worst_zoo_gradient(*model, characters()) < 1e-6);
}

TEST_CASE("gpt_mini predicts a token at each position, with the right gradient", "[zoo]") {
  const auto model = make_gpt_mini<double>(characters(), {.width = 4, .heads = 2, .blocks = 2});
  CHECK(model->prediction().shape == Shape{any_size, places, tokens});
  CHECK(worst_zoo_gradient(*model, characters()) < 1e-6);
}

TEST_CASE("no position of gpt_mini sees those after it", "[zoo]") {
  const auto model = make_gpt_mini<double>(characters(), {.width = 4, .heads = 2, .blocks = 2});
  Buffer<double> parameters(static_cast<std::size_t>(model->layout().size()));
  model->initialize(parameters, {2});
  auto batch = some_batch(characters());
  const auto before = model->forward(parameters, batch);
  const std::vector<double> first(before.begin(), before.begin() + (places - 1) * tokens);
  auto& last = batch.inputs[0].values[places - 1];
  last = last == 0 ? 1 : 0;
  const auto after = model->forward(parameters, batch);
  for (std::size_t i = 0; i < first.size(); ++i)
    CHECK(first[i] == Approx(after[i]).epsilon(1e-12));
}

TEST_CASE("resnet_small halves height and width where a stage begins, with the right gradient",
          "[zoo]") {
  const auto model = make_resnet_small<double>(pictures(), {.channels = {2, 3}});
  CHECK(model->prediction().shape == Shape{any_size, 3});
  CHECK(model->layout().find("residual1.shortcut.conv2d0.weight")->shape == Shape{1, 1, 2, 3});
  CHECK(worst_zoo_gradient(*model, pictures()) < 1e-5); // rectifiers have corners
}

TEST_CASE("a network over tokens refuses an input of other numbers, with the cure", "[zoo]") {
  CHECK_THROWS_WITH(make_char_lstm<float>(pictures()), Contains("images") && Contains("tokens"));
  CHECK_THROWS_WITH(make_resnet_small<float>(pictures(), {.channels = {}}), Contains("stage"));
}
