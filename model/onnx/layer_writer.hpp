// How layers are written as nodes of an ONNX graph: one function per kind of layer.
#pragma once

#include "troupe/model/layers/chain.hpp"
#include "troupe/model/onnx/graph.hpp"

namespace troupe {

/// Writes layers into a graph, with the parameters of one model.
class OnnxWriter {
public:
  OnnxWriter(OnnxGraph& graph, const Layout& layout, std::span<const float> parameters)
    : graph(graph),
      layout_(layout),
      parameters_(parameters) {}

  /// Writes layer after layer. @returns what the last one puts out.
  /// @throws std::invalid_argument for a kind of layer that has no form in ONNX.
  OnnxValue chain(const Chain<float>& chain, OnnxValue x);

  const Shape& shape(const std::string& parameter) const;
  std::span<const float> values(const std::string& parameter) const;
  /// Adds a parameter to the graph as it is, once. @returns its name.
  std::string add(const std::string& parameter);

  OnnxGraph& graph;

private:
  const Layout& layout_;
  std::span<const float> parameters_;
};

/// A layer of a chain, and what comes in.
struct OnnxStage {
  const Layer<float>& layer;
  const std::string& name; ///< of which its parameters' begin
  const OnnxValue& x;
  const Shape& output; ///< the layer's
};

OnnxValue write_linear(OnnxWriter& writer, const OnnxStage& stage);
OnnxValue write_flatten(OnnxWriter& writer, const OnnxStage& stage);
OnnxValue write_convolution(OnnxWriter& writer, const OnnxStage& stage);
OnnxValue write_max_pooling(OnnxWriter& writer, const OnnxStage& stage);
OnnxValue write_average_pooling(OnnxWriter& writer, const OnnxStage& stage);
OnnxValue write_global_pooling(OnnxWriter& writer, const OnnxStage& stage);
OnnxValue write_batch_norm(OnnxWriter& writer, const OnnxStage& stage);
OnnxValue write_layer_norm(OnnxWriter& writer, const OnnxStage& stage);
OnnxValue write_residual(OnnxWriter& writer, const OnnxStage& stage);
OnnxValue write_dropout(OnnxWriter& writer, const OnnxStage& stage); ///< which is x
OnnxValue write_relu(OnnxWriter& writer, const OnnxStage& stage);
OnnxValue write_tanh(OnnxWriter& writer, const OnnxStage& stage);
OnnxValue write_sigmoid(OnnxWriter& writer, const OnnxStage& stage);
OnnxValue write_leaky_relu(OnnxWriter& writer, const OnnxStage& stage);
OnnxValue write_silu(OnnxWriter& writer, const OnnxStage& stage);
OnnxValue write_gelu(OnnxWriter& writer, const OnnxStage& stage);
OnnxValue write_softmax(OnnxWriter& writer, const OnnxStage& stage);
OnnxValue write_embedding(OnnxWriter& writer, const OnnxStage& stage);
OnnxValue write_position_embedding(OnnxWriter& writer, const OnnxStage& stage);
OnnxValue write_lstm(OnnxWriter& writer, const OnnxStage& stage);
OnnxValue write_gru(OnnxWriter& writer, const OnnxStage& stage);
OnnxValue write_attention(OnnxWriter& writer, const OnnxStage& stage);
OnnxValue write_transformer_block(OnnxWriter& writer, const OnnxStage& stage);

} // namespace troupe
