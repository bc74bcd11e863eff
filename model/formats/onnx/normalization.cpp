#include "model/formats/onnx/layer_writer.hpp"
#include "model/layers/batch_norm.hpp"
#include "model/layers/layer_norm.hpp"

namespace troupe {

OnnxValue write_batch_norm(OnnxWriter& writer, const OnnxStage& stage) {
  const auto& layer = dynamic_cast<const BatchNormLayer<float>&>(stage.layer);
  return writer.graph.each("BatchNormalization", stage.name, writer.graph.channels_first(stage.x),
                           {writer.add(stage.name + ".weight"), writer.add(stage.name + ".bias"),
                            writer.add(stage.name + ".mean"), writer.add(stage.name + ".variance")},
                           {{"epsilon", static_cast<float>(layer.options().epsilon)}});
}

// Before version 17 the opset has no operator for g (x - mean) / sqrt(var + epsilon) + b.
OnnxValue write_layer_norm(OnnxWriter& writer, const OnnxStage& stage) {
  const auto& layer = dynamic_cast<const LayerNormLayer<float>&>(stage.layer);
  auto& graph = writer.graph;
  const auto& name = stage.name;
  const OnnxAttributes last_size{{"axes", std::vector<std::int64_t>{-1}}};
  const auto x = graph.channels_last(stage.x);
  const auto mean = graph.node("ReduceMean", name, {x.name}, last_size);
  const auto centred = graph.each("Sub", name, x, {mean});
  const auto square = graph.node("Mul", name, {centred.name, centred.name});
  const auto variance = graph.node("ReduceMean", name, {square}, last_size);
  const auto epsilon = graph.number(name + ".epsilon", static_cast<float>(layer.epsilon()));
  const auto deviation = graph.node("Sqrt", name, {graph.node("Add", name, {variance, epsilon})});
  const auto normalized = graph.each("Div", name, centred, {deviation});
  const auto scaled = graph.each("Mul", name, normalized, {writer.add(name + ".weight")});
  return graph.each("Add", name, scaled, {writer.add(name + ".bias")});
}

} // namespace troupe
