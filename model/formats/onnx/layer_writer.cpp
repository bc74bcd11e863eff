#include "model/formats/onnx/layer_writer.hpp"

#include "model/data/problem.hpp"

#include <numeric>
#include <stdexcept>

namespace troupe {

namespace {

constexpr std::string_view transposed_mark = "^T"; // see Shares

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
                              + "', which cannot be written as ONNX; export the parameters "
                                "alone, as .safetensors or .npz");
}

} // namespace

OnnxWriter::OnnxWriter(OnnxGraph& graph, const Layout& layout, std::span<const float> parameters,
                       const Shares& shares)
  : graph(graph),
    layout_(layout),
    parameters_(parameters) {
  const auto add
    = [&](bool transposed) { // biases first: a transposed weight needs the bias of its layer
        for (const auto& [name, with] : shares)
          if (with.ends_with(transposed_mark) == transposed)
            shared_.emplace(name, shared_array(name, with));
      };
  add(false);
  add(true);
}

OnnxWriter::SharedArray OnnxWriter::shared_array(const std::string& name,
                                                 const std::string& with) const {
  const auto owner = with.substr(0, with.find(transposed_mark));
  const auto from = values(owner);
  if (owner == with)
    return {shape(owner), {from.begin(), from.end()}};
  const auto bias = name.substr(0, name.rfind('.')) + ".bias";
  if (!shared_.contains(bias) && layout_.find(bias) == nullptr)
    throw std::invalid_argument("the parameter '" + name + "' is '" + with
                                + "', which can be written only for layers with a bias; export the "
                                  "parameters alone, as .safetensors or .npz");
  const auto rows = shape(owner).back(), columns = shape(bias).back();
  SharedArray array{{rows, columns}, {}};
  array.values.reserve(static_cast<std::size_t>(rows * columns));
  for (Index row = 0; row < rows; ++row)
    for (Index column = 0; column < columns; ++column)
      array.values.push_back(from[static_cast<std::size_t>(column * rows + row)]);
  return array;
}

void OnnxWriter::add_padding(const OnnxValue& tokens) {
  constexpr std::int64_t to_float = 1, to_int32 = 6; // TensorProto.DataType
  const std::string name = "padding";
  const auto node = [&](const char* op, const std::vector<std::string>& inputs,
                        const OnnxAttributes& attributes = {}) {
    return graph.node(op, name, inputs, attributes);
  };
  std::vector<float> counts(static_cast<std::size_t>(tokens.shape[1])); // 1, 2, ...
  std::iota(counts.begin(), counts.end(), 1.0f);
  const auto places = graph.constant(name + ".places", {tokens.shape[1]}, counts);
  const auto axis
    = [&](const char* which, std::int64_t n) { return graph.constant(name + which, {1}, {n}); };
  const auto numbers = node("Cast", {tokens.name}, {{"to", to_float}});
  const auto masked = node("Equal", {numbers, graph.number(name + ".token", masked_class)});
  const auto seen = node("Cast", {node("Not", {masked})}, {{"to", to_float}});
  const auto lengths = node("ReduceMax", {node("Mul", {seen, places})},
                            {{"axes", std::vector<std::int64_t>{1}}}); // [any, 1]
  const auto inside = node("Cast", {node("LessOrEqual", {places, lengths})}, {{"to", to_float}});
  padding_ = OnnxPadding{
    node("Cast", {node("Squeeze", {lengths, axis(".lengths", 1)})}, {{"to", to_int32}}),
    node("Unsqueeze", {inside, axis(".inside", 2)})};
}

OnnxValue OnnxWriter::chain(const Chain<float>& chain, OnnxValue x) {
  for (const auto& link : chain.links()) {
    auto y = writer_of(link.layer.kind(), link.name)
               .write(*this, {link.layer, link.name, x, link.output});
    x = std::move(y);
  }
  return x;
}

const Shape& OnnxWriter::shape(const std::string& parameter) const {
  const auto shared = shared_.find(parameter);
  return shared == shared_.end() ? layout_.find(parameter)->shape : shared->second.shape;
}

std::span<const float> OnnxWriter::values(const std::string& parameter) const {
  if (const auto shared = shared_.find(parameter); shared != shared_.end())
    return shared->second.values;
  const auto* found = layout_.find(parameter);
  return parameters_.subspan(static_cast<std::size_t>(found->offset),
                             static_cast<std::size_t>(found->size()));
}

std::string OnnxWriter::add(const std::string& parameter) {
  return graph.constant(parameter, shape(parameter), values(parameter));
}

} // namespace troupe
