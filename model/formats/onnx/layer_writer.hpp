// Writes layers as nodes of an ONNX graph: one function per kind of layer.
#pragma once

#include "model/formats/onnx/graph.hpp"
#include "model/layers/chain.hpp"
#include "model/optimizers/parameter_sharing.hpp"

#include <optional>

namespace troupe {

/// The lengths of a batch's sequences as arrays of a graph; see PassContext::lengths.
struct OnnxPadding {
  std::string lengths; ///< [batch], int32
  std::string inside;  ///< [batch, length, 1], float: 1 before the end, 0 after it
};

/// Writes layers into a graph, with the parameters of one model.
class OnnxWriter {
public:
  /// @throws std::invalid_argument for a parameter that is shared transposed, if its layer has no
  ///         bias, which determines the number of columns
  OnnxWriter(OnnxGraph& graph, const Layout& layout, std::span<const float> parameters,
             const Shares& shares);

  /// Makes the layers skip padding, which follows the last token that is not masked_class.
  /// @param tokens [any, length]
  void add_padding(const OnnxValue& tokens);
  const std::optional<OnnxPadding>& padding() const { return padding_; }

  /// Writes layer after layer. @returns the output of the last one
  /// @throws std::invalid_argument for a kind of layer that ONNX cannot express
  OnnxValue chain(const Chain<float>& chain, OnnxValue x);

  const Shape& shape(const std::string& parameter) const;
  std::span<const float> values(const std::string& parameter) const;
  /// Adds a parameter to the graph, unless it is there. @returns its name
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
  std::map<std::string, SharedArray> shared_; ///< parameters that share the numbers of another one
  std::optional<OnnxPadding> padding_;
};

/// A layer of a chain, and its input.
struct OnnxStage {
  const Layer<float>& layer;
  const std::string& name; ///< prefix of its parameters' names
  const OnnxValue& x;
  const Shape& output; ///< shape of the layer's output
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
OnnxValue write_dropout(OnnxWriter& writer, const OnnxStage& stage); ///< returns x
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
