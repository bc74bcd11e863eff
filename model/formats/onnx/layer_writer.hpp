// How layers are written as nodes of an ONNX graph: one function per kind of layer.
#pragma once

#include "model/formats/onnx/graph.hpp"
#include "model/layers/chain.hpp"
#include "model/optimizers/parameter_sharing.hpp"

#include <optional>

namespace troupe {

/// Where the sequences of a batch end, as arrays of a graph; see PassContext::lengths.
struct OnnxPadding {
  std::string lengths; ///< [batch], int32
  std::string inside;  ///< [batch, length, 1], float: 1 before the end, 0 behind it
};

/// Writes layers into a graph, with the parameters of one model.
class OnnxWriter {
public:
  /// @throws std::invalid_argument for a parameter that is another one transposed where its layer
  /// has no bias, which says how many columns it has.
  OnnxWriter(OnnxGraph& graph, const Layout& layout, std::span<const float> parameters,
             const Shares& shares);

  /// Lets the layers leave out what lies behind the last token that is none of padding.
  /// @param tokens [any, length]
  void add_padding(const OnnxValue& tokens);
  const std::optional<OnnxPadding>& padding() const { return padding_; }

  /// Writes layer after layer. @returns what the last one puts out.
  /// @throws std::invalid_argument for a kind of layer that has no form in ONNX.
  OnnxValue chain(const Chain<float>& chain, OnnxValue x);

  const Shape& shape(const std::string& parameter) const;
  std::span<const float> values(const std::string& parameter) const;
  /// Adds a parameter to the graph as it is, once. @returns its name.
  std::string add(const std::string& parameter);

  OnnxGraph& graph;

private:
  struct SharedArray {
    Shape shape;
    std::vector<float> values;
  };
  SharedArray shared_array(const std::string& name, const std::string& with) const;

  const Layout& layout_;
  std::span<const float> parameters_;
  std::map<std::string, SharedArray> shared_; ///< parameters that lie in the block as another
  std::optional<OnnxPadding> padding_;
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
