#include "model/layers/attention/multi_head_attention.hpp"
#include "model/layers/attention/transformer_block.hpp"
#include "tests/support/layer_check.hpp"
#include "tests/support/layer_fixture.hpp"

#include <catch2/catch.hpp>

using namespace troupe;
using Catch::Contains;

TEST_CASE("attention equals PyTorch's, forward and backward", "[layers]") {
  MultiHeadAttentionLayer<double> exact{{.heads = 2}}, exact_causal{{.heads = 2, .causal = true}};
  CHECK(test::fixture_error(exact, {any_size, 3, 4}, "attention") < 1e-8);
  CHECK(test::fixture_error(exact_causal, {any_size, 3, 4}, "attention_causal") < 1e-8);
  MultiHeadAttentionLayer<float> layer{{.heads = 2}};
  CHECK(test::fixture_error(layer, {any_size, 3, 4}, "attention") < 1e-5);
}

TEST_CASE("attention's gradients equal finite differences", "[layers][B50]") {
  for (const Index length : {1, 2, 5})
    for (const Index batch : {1, 3})
      for (const Index heads : {1, 2, 6})
        for (const bool causal : {false, true}) {
          INFO("length " << length << ", batch " << batch << ", heads " << heads << ", causal "
                         << causal);
          MultiHeadAttentionLayer<double> layer{{heads, causal}};
          CHECK(test::worst_gradient(layer, {any_size, length, 6}, batch, {}, 1) < 1e-6);
        }
}

TEST_CASE("causal attention does not look to the right", "[layers]") {
  MultiHeadAttentionLayer<double> layer{{.heads = 2, .causal = true}};
  Layout layout;
  layer.connect({any_size, 3, 4}, "attention0", layout);
  const auto parameters = test::random_numbers(static_cast<std::size_t>(layout.size()), 1);
  auto x = test::random_numbers(12, 2);
  std::vector<double> before(12), after(12);
  layer.forward(parameters, x, before);
  x[8] += 1; // of the third position
  layer.forward(parameters, x, after);
  for (std::size_t i = 0; i < 8; ++i) // at another address sums may be in another order
    CHECK(before[i] == Approx(after[i]).epsilon(1e-12));
  CHECK(std::abs(before[8] - after[8]) > 1e-3);
}

TEST_CASE("attention over several strips of positions has the gradients of finite differences",
          "[layers][B50]") {
  for (const Index length : {70, 130}) // P is kept, and computed again
    for (const bool causal : {false, true}) {
      INFO("length " << length << ", causal " << causal);
      MultiHeadAttentionLayer<double> layer{{2, causal}};
      CHECK(test::worst_gradient(layer, {any_size, length, 2}, 1, {}, 1) < 1e-6);
    }
}

TEST_CASE("causal attention over several strips gives each position what it gives the last one",
          "[layers]") {
  constexpr Index length = 150, width = 4;
  MultiHeadAttentionLayer<double> whole{{.heads = 2, .causal = true}};
  Layout layout;
  whole.connect({any_size, length, width}, "attention0", layout);
  const auto parameters = test::random_numbers(static_cast<std::size_t>(layout.size()), 1);
  const auto x = test::random_numbers(length * width, 2);
  std::vector<double> y(x.size());
  whole.forward(parameters, x, y);
  for (const Index seen : {1, 63, 64, 65, 129}) {
    MultiHeadAttentionLayer<double> shorter{{.heads = 2}}; // its last position sees all
    Layout same;
    shorter.connect({any_size, seen, width}, "attention0", same);
    std::vector<double> part(static_cast<std::size_t>(seen * width));
    shorter.forward(parameters, std::span{x}.first(part.size()), part);
    for (auto i = part.size() - width; i < part.size(); ++i)
      CHECK(y[i] == Approx(part[i]).epsilon(1e-10));
  }
}

TEST_CASE("attention stays finite where its scores are large", "[layers]") {
  MultiHeadAttentionLayer<float> layer{{.heads = 1}};
  Layout layout;
  layer.connect({any_size, 2, 2}, "attention0", layout);
  const std::vector<float> parameters(static_cast<std::size_t>(layout.size()), 100), x{9, 8, 7, 6};
  std::vector<float> y(4), dx(4), gradient(parameters.size());
  layer.forward(parameters, x, y);
  layer.backward({parameters, x, y, y, dx, gradient});
  for (auto value : y)
    CHECK(std::isfinite(value));
  for (auto value : dx)
    CHECK(std::isfinite(value));
}

TEST_CASE("attention refuses shapes that are not sequences, and heads that do not divide the width",
          "[layers]") {
  Layout layout;
  MultiHeadAttentionLayer<float> layer{{.heads = 4}};
  CHECK_THROWS_WITH(layer.connect({any_size, 6}, "attention0", layout),
                    Contains("multi_head_attention layer 'attention0'")
                      && Contains("[any, length, width]") && Contains("[any, 6]"));
  CHECK_THROWS_WITH(layer.connect({any_size, 3, 6}, "attention0", layout),
                    Contains("4 heads") && Contains("[any, 3, 6]"));
  CHECK_THROWS_WITH(MultiHeadAttentionLayer<float>({.heads = 0}), Contains("0 heads"));
}

TEST_CASE("a transformer block equals PyTorch's, forward and backward", "[layers]") {
  const TransformerOptions options{.heads = 2, .mlp_width = 6};
  TransformerBlock<double> exact{options};
  CHECK(test::fixture_error(exact, {any_size, 3, 4}, "transformer_block") < 1e-8);
  TransformerBlock<float> layer{options};
  CHECK(test::fixture_error(layer, {any_size, 3, 4}, "transformer_block") < 1e-5);
}

TEST_CASE("a transformer block's gradients equal finite differences", "[layers][B50]") {
  for (const Index length : {1, 4})
    for (const Index batch : {1, 3})
      for (const bool causal : {false, true}) {
        INFO("length " << length << ", batch " << batch << ", causal " << causal);
        TransformerBlock<double> layer{{.heads = 2, .causal = causal}};
        CHECK(test::worst_gradient(layer, {any_size, length, 4}, batch, {}, 1) < 1e-6);
      }
}

TEST_CASE("a transformer block skips an input gradient that is not needed", "[layers]") {
  TransformerBlock<double> layer{{.heads = 2}};
  Layout layout;
  layer.connect({any_size, 3, 4}, "block0", layout);
  const auto size = static_cast<std::size_t>(layout.size());
  const auto parameters = test::random_numbers(size, 1), x = test::random_numbers(24, 2);
  std::vector<double> y(24), dx(24), with(size), without(size);
  layer.forward(parameters, x, y);
  layer.backward({parameters, x, {}, y, dx, with});
  layer.backward({parameters, x, {}, y, {}, without});
  CHECK(with == without);
}

TEST_CASE("a transformer block refuses shapes that are not sequences", "[layers]") {
  Layout layout;
  TransformerBlock<float> layer;
  CHECK_THROWS_WITH(layer.connect({any_size, 8}, "block0", layout),
                    Contains("transformer_block 'block0'") && Contains("[any, length, width]")
                      && Contains("[any, 8]"));
  CHECK_THROWS_WITH(TransformerBlock<float>({.mlp_width = -1}), Contains("mlp_width -1"));
}
