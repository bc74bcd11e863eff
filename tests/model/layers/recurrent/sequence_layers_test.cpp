#include "model/layers/attention/position_embedding.hpp"
#include "model/layers/attention/transformer_block.hpp"
#include "model/layers/embedding.hpp"
#include "model/layers/gelu.hpp"
#include "model/layers/layer_norm.hpp"
#include "model/layers/linear.hpp"
#include "model/layers/recurrent/lstm.hpp"
#include "model/zoo/network.hpp"
#include "tests/support/layer_check.hpp"
#include "tests/support/layer_fixture.hpp"

#include <catch2/catch.hpp>

using namespace troupe;
using Catch::Contains;

namespace {

constexpr Index text_length = 5, text_tokens = 6;

DataSpec text_spec() {
  return {.inputs = {{"text", ElementType::float32, {any_size, text_length}, 0}},
          .targets = {{"next", ElementType::class_index, {any_size, text_length}, text_tokens}}};
}

BasicNetwork<double> text_network(bool transformer) {
  BasicNetwork<double>::Layers layers;
  layers.push_back(std::make_unique<EmbeddingLayer<double>>(text_tokens, 4));
  if (transformer) {
    layers.push_back(std::make_unique<PositionEmbeddingLayer<double>>());
    layers.push_back(std::make_unique<TransformerBlock<double>>(TransformerOptions{.heads = 2}));
    layers.push_back(std::make_unique<LayerNormLayer<double>>());
  } else {
    layers.push_back(std::make_unique<LstmLayer<double>>(7));
  }
  layers.push_back(std::make_unique<LinearLayer<double>>(text_tokens, "torch"));
  return {std::move(layers), text_spec()};
}

BasicBatch<double> text_batch(Index size) {
  BasicBatch<double> batch;
  batch.size = size;
  batch.inputs.resize(1);
  batch.targets.resize(1);
  Random random{{7}};
  for (Index i = 0; i < size * text_length; ++i) {
    batch.inputs[0].values.push_back(static_cast<double>(random.below(text_tokens)));
    batch.targets[0].classes.push_back(static_cast<std::int32_t>(random.below(text_tokens)));
  }
  return batch;
}

} // namespace

TEST_CASE("an embedding gives each token its row, and each row the gradients of its tokens",
          "[layers]") {
  EmbeddingLayer<double> exact{5, 3};
  CHECK(test::fixture_error(exact, {any_size, 3}, "embedding") < 1e-8);
  EmbeddingLayer<float> layer{2, 3};
  Layout layout;
  CHECK(layer.connect({any_size, 2}, "embedding0", layout) == Shape{any_size, 2, 3});
  CHECK(layout.find("embedding0.weight")->shape == Shape{2, 3});
  const std::vector<float> parameters{1, 2, 3, 4, 5, 6}, x{1, 1, 0, 1};
  std::vector<float> y(12), dx(4, 9), gradient(6, 9);
  layer.forward(parameters, x, y);
  CHECK(y == std::vector<float>{4, 5, 6, 4, 5, 6, 1, 2, 3, 4, 5, 6});
  layer.backward({parameters, x, {}, y, dx, gradient});
  CHECK(gradient == std::vector<float>{1, 2, 3, 12, 15, 18});
  CHECK(dx == std::vector<float>(4, 0));
}

TEST_CASE("an embedding refuses tokens outside its vocabulary", "[layers]") {
  EmbeddingLayer<float> layer{4, 2};
  Layout layout;
  layer.connect({any_size, 1}, "embedding0", layout);
  const std::vector<float> parameters(8);
  std::vector<float> y(2);
  for (const auto token : {4.0f, -1.0f, 0.5f, std::nanf(""), 1e30f}) {
    const std::vector<float> x{token};
    CHECK_THROWS_WITH(layer.forward(parameters, x, y),
                      Contains("embedding layer 'embedding0'") && Contains("is 0 to 3"));
  }
  // cure: ; give it a larger vocabulary or encode the text with this one
  CHECK_NOTHROW(layer.forward(parameters, std::vector<float>{3}, y));
  EmbeddingLayer<float> larger{5, 2};
  Layout of_larger;
  larger.connect({any_size, 1}, "embedding0", of_larger);
  CHECK_NOTHROW(larger.forward(std::vector<float>(10), std::vector<float>{4}, y));
}

TEST_CASE("sequence layers refuse other shapes", "[layers]") {
  Layout layout;
  EmbeddingLayer<float> embedding{4, 2};
  CHECK_THROWS_WITH(embedding.connect({any_size, 3, 2}, "embedding0", layout),
                    Contains("embedding layer 'embedding0'") && Contains("[any, length]")
                      && Contains("[any, 3, 2]"));
  PositionEmbeddingLayer<float> position;
  CHECK_THROWS_WITH(position.connect({any_size, 3}, "position0", layout),
                    Contains("position_embedding layer 'position0'")
                      && Contains("[any, length, width]") && Contains("[any, 3]"));
  LayerNormLayer<float> norm;
  CHECK_THROWS_WITH(norm.connect({any_size}, "norm0", layout),
                    Contains("layer_norm layer 'norm0'") && Contains("[any]"));
  CHECK_THROWS_WITH(LayerNormLayer<float>{0}, Contains("epsilon"));
  CHECK_THROWS_WITH((EmbeddingLayer<float>{0, 2}), Contains("0 tokens"));
}

TEST_CASE("a position embedding adds the vector of each position, for every example", "[layers]") {
  PositionEmbeddingLayer<float> layer;
  Layout layout;
  layer.connect({any_size, 2, 2}, "position0", layout);
  CHECK(layout.find("position0.weight")->shape == Shape{2, 2});
  const std::vector<float> parameters{1, 2, 3, 4}, x{0, 0, 0, 0, 10, 20, 30, 40};
  std::vector<float> y(8), gradient(4, 9);
  layer.forward(parameters, x, y);
  CHECK(y == std::vector<float>{1, 2, 3, 4, 11, 22, 33, 44});
  layer.backward({parameters, x, {}, y, {}, gradient});
  CHECK(gradient == std::vector<float>{12, 24, 36, 48});
}

TEST_CASE("layer normalization equals PyTorch's, forward and backward", "[layers]") {
  LayerNormLayer<double> exact;
  CHECK(test::fixture_error(exact, {any_size, 3, 4}, "layer_norm") < 1e-8);
  LayerNormLayer<float> layer;
  CHECK(test::fixture_error(layer, {any_size, 3, 4}, "layer_norm") < 1e-5);
}

TEST_CASE("gelu equals its formula", "[layers]") {
  const std::vector<double> x{-3, -1, 0, 0.5, 2};
  std::vector<double> y(5);
  GeluLayer<double>{}.forward({}, x, y);
  for (std::size_t i = 0; i < x.size(); ++i)
    CHECK(y[i] == Approx(x[i] / 2 * (1 + std::erf(x[i] / std::sqrt(2)))).margin(5e-4));
}

TEST_CASE("gradients of the layers around a transformer equal finite differences",
          "[layers][B50]") {
  for (const Index length : {1, 4})
    for (const Index batch : {1, 3}) {
      INFO("length " << length << ", batch " << batch);
      PositionEmbeddingLayer<double> position;
      LayerNormLayer<double> norm;
      GeluLayer<double> gelu;
      CHECK(test::worst_gradient(position, {any_size, length, 5}, batch) < 1e-6);
      CHECK(test::worst_gradient(norm, {any_size, length, 5}, batch) < 1e-6);
      CHECK(test::worst_gradient(gelu, {any_size, length, 5}, batch) < 1e-6);
    }
}

TEST_CASE("a network of sequence layers predicts a class per position, and its gradients equal "
          "finite differences",
          "[layers][B50]") {
  for (const bool transformer : {false, true}) {
    INFO("transformer " << transformer);
    auto network = text_network(transformer);
    CHECK(network.prediction().shape == Shape{any_size, text_length, text_tokens});
    std::vector<double> parameters(static_cast<std::size_t>(network.layout().size()));
    network.initialize(parameters, {3});
    const auto batch = text_batch(3);
    std::vector<double> gradient(parameters.size()), other(parameters.size());
    network.loss_and_gradient(parameters, batch, gradient);
    CHECK(test::gradient_error(parameters, gradient,
                               [&] { return network.loss_and_gradient(parameters, batch, other); })
          < 1e-6);
  }
}
