#include "model/formats/onnx/graph.hpp"

#include <bit>
#include <numeric>

namespace troupe {

namespace {

static_assert(std::endian::native == std::endian::little, "constants are copied as they lie");

constexpr int onnx_float = 1, onnx_int64 = 7; // TensorProto.DataType
constexpr auto batch_name = "batch";

/// AttributeProto
ProtobufMessage attribute(const std::string& name, const OnnxAttribute& value) {
  enum AttributeType { a_float = 1, an_int = 2, a_string = 3, ints = 7 };
  ProtobufMessage message;
  message.text(1, name);
  if (const auto* real = std::get_if<float>(&value))
    message.real(2, *real).integer(20, a_float);
  else if (const auto* whole = std::get_if<std::int64_t>(&value))
    message.integer(3, *whole).integer(20, an_int);
  else if (const auto* text = std::get_if<std::string>(&value))
    message.text(4, *text).integer(20, a_string);
  else {
    for (const auto each : std::get<std::vector<std::int64_t>>(value))
      message.integer(8, each);
    message.integer(20, ints);
  }
  return message;
}

template <class Number>
std::string_view bytes_of(std::span<const Number> values) {
  return {reinterpret_cast<const char*>(values.data()), values.size_bytes()};
}

} // namespace

ProtobufMessage OnnxGraph::declaration(const std::string& name, const Shape& shape,
                                       bool whole) const {
  ProtobufMessage sizes;
  for (const auto size : shape) {
    ProtobufMessage dimension;
    if (size == any_size)
      dimension.text(2, batch_name);
    else
      dimension.integer(1, size);
    sizes.message(1, dimension);
  }
  ProtobufMessage tensor, type, value;
  tensor.integer(1, whole ? onnx_int64 : onnx_float).message(2, sizes);
  type.message(1, tensor);
  value.text(1, name).message(2, type);
  return value;
}

OnnxValue OnnxGraph::input(std::string name, Shape shape, bool whole) {
  graph_.message(11, declaration(name, shape, whole));
  return {std::move(name), std::move(shape), false, whole};
}

void OnnxGraph::output(const OnnxValue& value, const std::string& name) {
  ProtobufMessage node;
  node.text(1, channels_last(value).name).text(2, name).text(3, name).text(4, "Identity");
  graph_.message(1, node).message(12, declaration(name, value.shape, false));
}

std::vector<std::string> OnnxGraph::node(const std::string& op, const std::string& name,
                                         const std::vector<std::string>& inputs,
                                         const OnnxAttributes& attributes, std::size_t outputs) {
  const auto nth = used_[name + "." + op]++;
  const auto unique = name + "." + op + (nth == 0 ? "" : std::to_string(nth));
  ProtobufMessage message;
  for (const auto& input : inputs)
    message.text(1, input);
  std::vector<std::string> names;
  for (std::size_t i = 0; i < outputs; ++i) {
    names.push_back(unique + (outputs == 1 ? "" : ":" + std::to_string(i)));
    message.text(2, names.back());
  }
  message.text(3, unique).text(4, op);
  for (const auto& [key, value] : attributes)
    message.message(5, attribute(key, value));
  graph_.message(1, message);
  return names;
}

std::string OnnxGraph::node(const std::string& op, const std::string& name,
                            const std::vector<std::string>& inputs,
                            const OnnxAttributes& attributes) {
  return node(op, name, inputs, attributes, 1).front();
}

OnnxValue OnnxGraph::each(const std::string& op, const std::string& name, const OnnxValue& value,
                          const std::vector<std::string>& others,
                          const OnnxAttributes& attributes) {
  std::vector<std::string> inputs{value.name};
  inputs.insert(inputs.end(), others.begin(), others.end());
  auto result = value;
  result.name = node(op, name, inputs, attributes);
  return result;
}

void OnnxGraph::add_constant(const std::string& name, const Shape& shape, int type,
                             std::string_view bytes) {
  ProtobufMessage tensor;
  for (const auto size : shape)
    tensor.integer(1, size);
  tensor.integer(2, type).text(8, name).text(9, bytes);
  graph_.message(5, tensor);
}

std::string OnnxGraph::constant(const std::string& name, const Shape& shape,
                                std::span<const float> values) {
  add_constant(name, shape, onnx_float, bytes_of(values));
  return name;
}

std::string OnnxGraph::constant(const std::string& name, const Shape& shape,
                                const std::vector<std::int64_t>& values) {
  add_constant(name, shape, onnx_int64, bytes_of(std::span{values}));
  return name;
}

std::string OnnxGraph::number(const std::string& name, float value) {
  return constant(name, {}, {&value, 1});
}

OnnxValue OnnxGraph::channels_first(const OnnxValue& value) {
  if (value.channels_first || value.shape.size() < 3)
    return value;
  std::vector<std::int64_t> order(value.shape.size());
  order[1] = static_cast<std::int64_t>(order.size()) - 1;
  std::iota(order.begin() + 2, order.end(), 1);
  auto transposed = each("Transpose", value.name, value, {}, {{"perm", order}});
  transposed.channels_first = true;
  return transposed;
}

OnnxValue OnnxGraph::channels_last(const OnnxValue& value) {
  if (!value.channels_first)
    return value;
  std::vector<std::int64_t> order(value.shape.size());
  std::iota(order.begin() + 1, order.end() - 1, 2);
  order.back() = 1;
  auto transposed = each("Transpose", value.name, value, {}, {{"perm", order}});
  transposed.channels_first = false;
  return transposed;
}

OnnxValue OnnxGraph::reshaped(const std::string& name, const OnnxValue& value, Shape shape) {
  auto result = channels_last(value);
  const auto sizes = constant(name + ".shape", {static_cast<Index>(shape.size())},
                              shape); // ONNX also uses -1 for any_size
  result.name = node("Reshape", name, {result.name, sizes});
  result.shape = std::move(shape);
  return result;
}

std::string OnnxGraph::file(const std::string& name,
                            const std::map<std::string, std::string>& metadata,
                            const std::string& version) const {
  auto graph = graph_;
  graph.text(2, name);
  ProtobufMessage opset, model;
  opset.text(1, "").integer(2, onnx_opset);
  model.integer(1, onnx_ir).text(2, "troupe").text(3, version);
  model.message(7, graph).message(8, opset);
  for (const auto& [key, value] : metadata) {
    ProtobufMessage entry;
    entry.text(1, key).text(2, value);
    model.message(14, entry);
  }
  return model.bytes();
}

} // namespace troupe
