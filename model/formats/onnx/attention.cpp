#include "model/formats/onnx/layer_writer.hpp"
#include "model/layers/attention/transformer_block.hpp"
#include "model/layers/gelu.hpp"

#include <cmath>
#include <limits>

namespace troupe {

namespace {

/// [length, length]: added to the scores, so that no position sees one to its right.
std::string add_mask(OnnxWriter& writer, const std::string& name, Index length) {
  std::vector<float> mask(static_cast<std::size_t>(length * length));
  for (Index row = 0; row < length; ++row)
    for (Index column = row + 1; column < length; ++column)
      mask[row * length + column] = -std::numeric_limits<float>::infinity();
  return writer.graph.constant(name + ".mask", {length, length}, mask);
}

} // namespace

OnnxValue write_attention(OnnxWriter& writer, const OnnxStage& stage) {
  const auto& options = dynamic_cast<const MultiHeadAttentionLayer<float>&>(stage.layer).options();
  auto& graph = writer.graph;
  const auto& name = stage.name;
  using Order = std::vector<std::int64_t>;
  const auto length = stage.output[1], width = stage.output[2], d = width / options.heads;
  const auto inner = name + ".query_key_value", outer = name + ".output";
  const Shape projected_shape{any_size, length, 3 * width};
  const auto projected = write_linear(writer, {stage.layer, inner, stage.x, projected_shape});
  const auto parts = graph.node("Split", name, {projected.name}, {{"axis", std::int64_t{2}}}, 3);
  const auto heads
    = graph.constant(name + ".heads", {4}, Order{any_size, length, options.heads, d});
  const auto by_head = [&](const std::string& part, Order order) {
    return graph.node("Transpose", name, {graph.node("Reshape", name, {part, heads})},
                      {{"perm", std::move(order)}});
  };
  const auto query = by_head(parts[0], {0, 2, 1, 3}), keys = by_head(parts[1], {0, 2, 3, 1}),
             values = by_head(parts[2], {0, 2, 1, 3});
  const auto scale = graph.number(name + ".scale", 1 / std::sqrt(static_cast<float>(d)));
  auto scores = graph.node("Mul", name, {graph.node("MatMul", name, {query, keys}), scale});
  if (options.causal)
    scores = graph.node("Add", name, {scores, add_mask(writer, name, length)});
  const auto probabilities = graph.node("Softmax", name, {scores}, {{"axis", std::int64_t{-1}}});
  const auto mixed
    = graph.node("Transpose", name, {graph.node("MatMul", name, {probabilities, values})},
                 {{"perm", Order{0, 2, 1, 3}}});
  const auto joined = graph.reshaped(name, {mixed, stage.output}, stage.output);
  return write_linear(writer, {stage.layer, outer, joined, stage.output});
}

OnnxValue write_transformer_block(OnnxWriter& writer, const OnnxStage& stage) {
  const auto& block = dynamic_cast<const TransformerBlock<float>&>(stage.layer);
  const auto& name = stage.name;
  const auto x = writer.graph.channels_last(stage.x);
  const auto part
    = [&](auto write, const Layer<float>& layer, const std::string& which, const OnnxValue& in) {
        auto output = in.shape;
        if (which == "mlp1" || which == "mlp2")
          output.back() = writer.shape(name + "." + which + ".bias").back();
        return write(writer, OnnxStage{layer, name + "." + which, in, output});
      };
  const auto norm1 = part(write_layer_norm, block.norm1(), "norm1", x);
  const auto attended = part(write_attention, block.attention(), "attention", norm1);
  const auto a = writer.graph.each("Add", name, x, {attended.name});
  const auto norm2 = part(write_layer_norm, block.norm2(), "norm2", a);
  const auto expanded = part(write_linear, block, "mlp1", norm2);
  const auto activated = part(write_gelu, GeluLayer<float>{}, "gelu", expanded);
  const auto contracted = part(write_linear, block, "mlp2", activated);
  return writer.graph.each("Add", name, a, {contracted.name});
}

} // namespace troupe
