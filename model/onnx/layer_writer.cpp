#include "troupe/model/onnx/layer_writer.hpp"

#include <algorithm>
#include <stdexcept>

namespace troupe {

namespace {

struct KindWriter {
  const char* kind;
  OnnxValue (*write)(OnnxWriter&, const OnnxStage&);
};

constexpr KindWriter kind_writers[] = {
  {"linear", write_linear},
  {"flatten", write_flatten},
  {"conv1d", write_convolution},
  {"conv2d", write_convolution},
  {"max_pooling", write_max_pooling},
  {"average_pooling", write_average_pooling},
  {"global_pooling", write_global_pooling},
  {"batch_norm", write_batch_norm},
  {"layer_norm", write_layer_norm},
  {"residual", write_residual},
  {"dropout", write_dropout},
  {"relu", write_relu},
  {"tanh", write_tanh},
  {"sigmoid", write_sigmoid},
  {"leaky_relu", write_leaky_relu},
  {"silu", write_silu},
  {"gelu", write_gelu},
  {"softmax", write_softmax},
  {"embedding", write_embedding},
  {"position_embedding", write_position_embedding},
  {"lstm", write_lstm},
  {"gru", write_gru},
  {"multi_head_attention", write_attention},
  {"transformer_block", write_transformer_block},
};

const KindWriter& writer_of(const std::string& kind, const std::string& name) {
  for (const auto& writer : kind_writers)
    if (kind == writer.kind)
      return writer;
  throw std::invalid_argument("layer '" + name + "' is of kind '" + kind
                              + "', for which there is no writer of ONNX; export the parameters "
                                "alone, as .safetensors or .npz");
}

} // namespace

OnnxValue OnnxWriter::chain(const Chain<float>& chain, OnnxValue x) {
  for (const auto& link : chain.links()) {
    auto y = writer_of(link.layer.kind(), link.name)
               .write(*this, {link.layer, link.name, x, link.output});
    x = std::move(y);
  }
  return x;
}

const Shape& OnnxWriter::shape(const std::string& parameter) const {
  return layout_.find(parameter)->shape;
}

std::span<const float> OnnxWriter::values(const std::string& parameter) const {
  const auto* found = layout_.find(parameter);
  return parameters_.subspan(static_cast<std::size_t>(found->offset),
                             static_cast<std::size_t>(found->size()));
}

std::string OnnxWriter::add(const std::string& parameter) {
  return graph.constant(parameter, shape(parameter), values(parameter));
}

} // namespace troupe
