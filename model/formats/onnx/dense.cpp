// Layers that multiply by a matrix, look up its rows or only change the shape.
#include "model/formats/onnx/layer_writer.hpp"

namespace troupe {

OnnxValue write_linear(OnnxWriter& writer, const OnnxStage& stage) {
  auto& graph = writer.graph;
  const auto x = graph.channels_last(stage.x);
  const auto weight = writer.add(stage.name + ".weight"), bias = writer.add(stage.name + ".bias");
  auto y = x;
  y.shape.back() = writer.shape(stage.name + ".bias").back();
  if (x.shape.size() == 2) {
    y.name = graph.node("Gemm", stage.name, {x.name, weight, bias});
  } else {
    const auto product = graph.node("MatMul", stage.name, {x.name, weight});
    y.name = graph.node("Add", stage.name, {product, bias});
  }
  // An output layer may produce all positions of a sequence from one row.
  return y.shape == stage.output ? y : graph.reshaped(stage.name, y, stage.output);
}

OnnxValue write_flatten(OnnxWriter& writer, const OnnxStage& stage) {
  auto y = writer.graph.channels_last(stage.x);
  y.name = writer.graph.node("Flatten", stage.name, {y.name}, {{"axis", std::int64_t{1}}});
  y.shape = stage.output;
  return y;
}

OnnxValue write_embedding(OnnxWriter& writer, const OnnxStage& stage) {
  constexpr std::int64_t int64 = 7; // TensorProto.DataType
  auto& graph = writer.graph;
  const auto& name = stage.name;
  auto tokens
    = stage.x.whole ? stage.x.name : graph.node("Cast", name, {stage.x.name}, {{"to", int64}});
  const auto table = writer.add(name + ".weight");
  if (!writer.padding())
    return {graph.node("Gather", name, {table, tokens}), stage.output};
  // Gather would look up the last row for -1, and some runtimes refuse it.
  tokens = graph.node("Max", name, {tokens, graph.constant(name + ".first", {1}, {0})});
  const auto rows = graph.node("Gather", name, {table, tokens});
  return {graph.node("Mul", name, {rows, writer.padding()->inside}), stage.output};
}

OnnxValue write_position_embedding(OnnxWriter& writer, const OnnxStage& stage) {
  return writer.graph.each("Add", stage.name, writer.graph.channels_last(stage.x),
                           {writer.add(stage.name + ".weight")});
}

} // namespace troupe
