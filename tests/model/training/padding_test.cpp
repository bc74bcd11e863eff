// Sequences of different lengths in one batch: their padding changes nothing.
#include "model/data/token_lengths.hpp"
#include "model/layers/attention/transformer_block.hpp"
#include "model/layers/embedding.hpp"
#include "model/layers/layer_norm.hpp"
#include "model/layers/output.hpp"
#include "model/layers/recurrent/bidirectional.hpp"
#include "model/layers/recurrent/gru.hpp"
#include "model/layers/recurrent/lstm.hpp"
#include "model/layers/residual.hpp"
#include "model/optimizers/make_optimizer.hpp"
#include "model/zoo/network.hpp"
#include "tests/support/layer_check.hpp"
#include "tests/support/layer_fixture.hpp"

#include <catch2/catch.hpp>

using namespace troupe;
using Catch::Contains;

namespace {

const std::vector<Index> padded_lengths{4, 1, 0, 3};

template <class Made>
void check_padded_gradients() {
  for (const bool last : {false, true}) {
    INFO("last " << last);
    Made layer{3, RecurrentOptions{.last = last}};
    CHECK(test::worst_gradient(layer, {any_size, 4, 2}, 4, {.lengths = padded_lengths}, 1) < 1e-6);
  }
}

/// y, dx and the gradient, concatenated, of a layer on sequences of three positions, of which the
/// second example has one; the rest of it is `padding`.
template <class Made>
std::vector<double> passes(double padding) {
  Made layer{3, RecurrentOptions{}};
  Layout layout;
  const auto output = layer.connect({any_size, 3, 2}, "layer", layout);
  const auto parameters = test::random_numbers(static_cast<std::size_t>(layout.size()), 1);
  auto x = test::random_numbers(12, 2), dy = test::random_numbers(test::numbers_in(output, 2), 3);
  std::fill(x.begin() + 8, x.end(), padding);
  const auto width = static_cast<long>(output.back());
  std::fill(dy.begin() + 4 * width, dy.end(), padding);
  std::vector<double> y(dy.size()), dx(12), all, gradient(parameters.size());
  const std::vector<Index> lengths{3, 1};
  layer.begin({.lengths = lengths});
  layer.forward(parameters, x, y);
  layer.backward({parameters, x, y, dy, dx, gradient});
  for (const auto* part : {&y, &dx, &gradient})
    all.insert(all.end(), part->begin(), part->end());
  return all;
}

DataSpec padded_tokens() {
  return {.inputs = {{"tokens", ElementType::float32, {any_size, 4}, 4, true}},
          .targets = {{"tag", ElementType::class_index, {any_size, 4}, 3, true}}};
}

template <class Recurrent>
BasicNetwork<float> tagging_network() {
  BasicNetwork<float>::Layers layers;
  layers.push_back(std::make_unique<EmbeddingLayer<float>>(4, 3));
  layers.push_back(std::make_unique<BidirectionalLayer<Recurrent>>(4, RecurrentOptions{}));
  layers.push_back(std::make_unique<OutputLayer<float>>(prediction_shape(padded_tokens())));
  return {std::move(layers), padded_tokens()};
}

double largest_difference(std::span<const float> is, const std::vector<float>& should) {
  double worst = 0;
  for (std::size_t i = 0; i < should.size(); ++i)
    worst = std::max(worst, std::abs(double{is[i]} - double{should[i]}));
  return worst;
}

/// Predicts, learns one batch with a step of SGD, and compares both with PyTorch.
void check_step(BasicNetwork<float> network, const std::string& fixture) {
  auto f = test::read_fixture<float>(fixture);
  auto parameters = f["parameters"];
  REQUIRE(static_cast<std::size_t>(network.layout().size()) == parameters.size());
  Batch batch;
  batch.size = 2;
  batch.inputs.resize(1);
  batch.targets.resize(1);
  batch.inputs[0].values.assign(f["x"].begin(), f["x"].end());
  batch.targets[0].classes.assign(f["classes"].begin(), f["classes"].end());
  CHECK(largest_difference(network.forward(parameters, batch), f["y"]) < 1e-5);
  std::vector<float> gradient(parameters.size());
  CHECK(network.loss_and_gradient(parameters, batch, gradient)
        == Approx(double{f["loss"][0]}).epsilon(1e-5));
  make_optimizer(SgdOptions{.learning_rate = 0.5}, network.layout().size())
    ->step(parameters, gradient);
  CHECK(largest_difference(parameters, f["after"]) < 1e-5);
}

} // namespace

TEST_CASE("a sequence of tokens ends after its last token that is not padding", "[padding]") {
  std::vector<Index> lengths{7, 7, 7, 7};
  const std::vector<float> tokens{2, 0, -1, 0, -1, -1, -1, -1, -1, 1, -1, 3};
  token_lengths<float>(tokens, 3, lengths);
  CHECK(lengths == std::vector<Index>{2, 1, 0, 3});
}

TEST_CASE("a bidirectional lstm or gru equals PyTorch's with padding", "[padding][layers]") {
  const std::vector<Index> lengths{3, 1};
  const PassContext context{.lengths = lengths};
  const Shape input{any_size, 3, 3};
  BidirectionalLayer<LstmLayer<double>> lstm{4, {}}, lstm_last{4, {.last = true}};
  BidirectionalLayer<GruLayer<double>> gru{4, {}}, gru_last{4, {.last = true}};
  CHECK(test::fixture_error(lstm, input, "lstm_padded", context) < 1e-8);
  CHECK(test::fixture_error(lstm_last, input, "lstm_padded_last", context) < 1e-8);
  CHECK(test::fixture_error(gru, input, "gru_padded", context) < 1e-8);
  CHECK(test::fixture_error(gru_last, input, "gru_padded_last", context) < 1e-8);
  BidirectionalLayer<LstmLayer<float>> single{4, {}};
  CHECK(test::fixture_error(single, input, "lstm_padded", context) < 1e-5);
}

TEST_CASE("a step of a tagger on padded tokens equals PyTorch's", "[padding]") {
  check_step(tagging_network<LstmLayer<float>>(), "lstm_tagger_step");
  check_step(tagging_network<GruLayer<float>>(), "gru_tagger_step");
}

TEST_CASE("gradients through sequences with padding equal finite differences",
          "[padding][layers][B50]") {
  check_padded_gradients<LstmLayer<double>>();
  check_padded_gradients<GruLayer<double>>();
  check_padded_gradients<BidirectionalLayer<LstmLayer<double>>>();
  check_padded_gradients<BidirectionalLayer<GruLayer<double>>>();
}

TEST_CASE("the content of padding changes no bit, and no gradient reaches it",
          "[padding][layers]") {
  CHECK(passes<LstmLayer<double>>(0) == passes<LstmLayer<double>>(7));
  CHECK(passes<GruLayer<double>>(0) == passes<GruLayer<double>>(7));
  CHECK(passes<BidirectionalLayer<LstmLayer<double>>>(0)
        == passes<BidirectionalLayer<LstmLayer<double>>>(7));
}

TEST_CASE("an embedding gives padding 0, and refuses it between tokens", "[padding][layers]") {
  EmbeddingLayer<float> layer{2, 1};
  Layout layout;
  layer.connect({any_size, 2}, "embedding0", layout);
  const std::vector<float> parameters{5, 6}, x{1, -1, 0, 1}, broken{-1, 1, 0, 1};
  std::vector<float> y(4), gradient(2);
  const std::vector<Index> lengths{1, 2}, full{2, 2};
  layer.begin({.lengths = lengths});
  layer.forward(parameters, x, y);
  CHECK(y == std::vector<float>{6, 0, 5, 6});
  layer.backward({parameters, x, {}, std::vector<float>{1, 10, 100, 1000}, {}, gradient});
  CHECK(gradient == std::vector<float>{100, 1001});
  layer.begin({.lengths = full});
  CHECK_THROWS_WITH(layer.forward(parameters, broken, y), Contains("token -1"));
}

TEST_CASE("layers that would mix padding into a sequence are refused with those that do not",
          "[padding]") {
  const auto with_block = [](bool causal) {
    BasicNetwork<float>::Layers layers;
    layers.push_back(std::make_unique<EmbeddingLayer<float>>(4, 4));
    layers.push_back(
      std::make_unique<TransformerBlock<float>>(TransformerOptions{.heads = 2, .causal = causal}));
    layers.push_back(std::make_unique<OutputLayer<float>>(prediction_shape(padded_tokens())));
    return BasicNetwork<float>{std::move(layers), padded_tokens()};
  };
  CHECK_NOTHROW(with_block(true));
  CHECK_THROWS_WITH(with_block(false), Contains("transformer_block") && Contains("input tokens")
                                         && Contains("causal attention"));
  // cure: into the data before it; use lstm, gru, causal attention, and layers that work on each
  // position separately
  CHECK_NOTHROW(with_block(true));
}

TEST_CASE("a layer that mixes the tokens themselves is refused where they have padding",
          "[padding]") {
  const auto recurrent_first = [] {
    BasicNetwork<float>::Layers layers;
    layers.push_back(std::make_unique<EmbeddingLayer<float>>(4, 4));
    layers.push_back(std::make_unique<LstmLayer<float>>(3, RecurrentOptions{.last = true}));
    layers.push_back(std::make_unique<LinearLayer<float>>(5)); // on the last state
    layers.push_back(std::make_unique<OutputLayer<float>>(prediction_shape(padded_tokens())));
    return BasicNetwork<float>{std::move(layers), padded_tokens()};
  };
  CHECK_NOTHROW(recurrent_first());
  CHECK_THROWS_WITH(BasicNetwork<float>(padded_tokens()), Contains("a layer linear"));
  BasicNetwork<float>::Layers layers, inner;
  inner.push_back(std::make_unique<LayerNormLayer<float>>());
  layers.push_back(std::make_unique<ResidualLayer<float>>(std::move(inner)));
  layers.push_back(std::make_unique<OutputLayer<float>>(prediction_shape(padded_tokens())));
  CHECK_THROWS_WITH((BasicNetwork<float>{std::move(layers), padded_tokens()}),
                    Contains("a layer residual"));
}

TEST_CASE("a bidirectional layer puts both directions side by side", "[layers]") {
  BidirectionalLayer<GruLayer<double>> both{3, {}}, last{3, {.last = true}};
  Layout layout, same;
  CHECK(both.connect({any_size, 4, 2}, "gru0", layout) == Shape{any_size, 4, 6});
  CHECK(last.connect({any_size, 4, 2}, "gru0", same) == Shape{any_size, 6});
  CHECK(layout.find("gru0.forward.weight") != nullptr);
  CHECK(layout.find("gru0.backward.hidden_bias") != nullptr);
  CHECK(test::worst_gradient(both, {any_size, 5, 2}, 3, {}, 1) < 1e-6);
  CHECK(test::same_without_dx(last, {any_size, 5, 2}, 3));
  CHECK_THROWS_WITH((BidirectionalLayer<GruLayer<float>>{3, {.reverse = true}}),
                    Contains("set reverse to false"));
}
