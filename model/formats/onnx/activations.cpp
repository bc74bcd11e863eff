#include "model/formats/onnx/layer_writer.hpp"
#include "model/layers/leaky_relu.hpp"

namespace troupe {

OnnxValue write_relu(OnnxWriter& writer, const OnnxStage& stage) {
  return writer.graph.each("Relu", stage.name, stage.x);
}

OnnxValue write_tanh(OnnxWriter& writer, const OnnxStage& stage) {
  return writer.graph.each("Tanh", stage.name, stage.x);
}

OnnxValue write_sigmoid(OnnxWriter& writer, const OnnxStage& stage) {
  return writer.graph.each("Sigmoid", stage.name, stage.x);
}

OnnxValue write_leaky_relu(OnnxWriter& writer, const OnnxStage& stage) {
  const auto& layer = dynamic_cast<const LeakyReluLayer<float>&>(stage.layer);
  return writer.graph.each("LeakyRelu", stage.name, stage.x, {}, {{"alpha", layer.slope()}});
}

OnnxValue write_silu(OnnxWriter& writer, const OnnxStage& stage) {
  const auto gate = writer.graph.each("Sigmoid", stage.name, stage.x);
  return writer.graph.each("Mul", stage.name, stage.x, {gate.name});
}

// The opset has no operator for x / 2 (1 + tanh(sqrt(2 / pi) x (1 + 0.044715 x^2))).
OnnxValue write_gelu(OnnxWriter& writer, const OnnxStage& stage) {
  auto& graph = writer.graph;
  const auto& x = stage.x;
  const auto constant
    = [&](const char* what, float value) { return graph.number(stage.name + "." + what, value); };
  const auto one = constant("one", 1);
  const auto with = [&](const char* op, const OnnxValue& value, const std::string& other) {
    return graph.each(op, stage.name, value, {other});
  };
  const auto cubic
    = with("Add", with("Mul", with("Mul", x, x.name), constant("cubic", 0.044715f)), one);
  const auto inner
    = with("Mul", with("Mul", cubic, x.name), constant("slope", 0.7978845608028654f));
  const auto gate = with("Add", graph.each("Tanh", stage.name, inner), one);
  return with("Mul", with("Mul", gate, x.name), constant("half", 0.5f));
}

OnnxValue write_softmax(OnnxWriter& writer, const OnnxStage& stage) {
  return writer.graph.each("Softmax", stage.name, writer.graph.channels_last(stage.x), {},
                           {{"axis", std::int64_t{-1}}});
}

OnnxValue write_dropout(OnnxWriter&, const OnnxStage& stage) { return stage.x; }

} // namespace troupe
