#include "model/formats/onnx/export.hpp"

#include "model/formats/onnx/layer_writer.hpp"
#include "troupe/version.hpp"

#include <limits>
#include <stdexcept>

namespace troupe {

namespace {

constexpr std::size_t most_onnx = std::numeric_limits<std::int32_t>::max(); // bytes

} // namespace

std::string onnx_file(const Network& network, std::span<const float> parameters,
                      const std::map<std::string, std::string>& metadata) {
  if (parameters.size_bytes() > most_onnx)
    throw std::invalid_argument("the parameters have " + std::to_string(parameters.size_bytes())
                                + " bytes, an ONNX file at most " + std::to_string(most_onnx)
                                + "; export them alone, as .safetensors");
  const auto links = network.chain().links();
  const auto& first = links.front();
  const auto field = network.inputs().front();
  OnnxGraph graph;
  auto x = graph.input(field.name, field.shape, first.layer.kind() == "embedding");
  OnnxWriter writer(graph, network.layout(), parameters, network.shares());
  if (field.masked && field.shape.size() == 2)
    writer.add_padding(x);
  if (x.shape != first.input) // a perceptron flattens its input
    x = graph.reshaped(field.name, x, first.input);
  graph.output(writer.chain(network.chain(), x), "prediction");
  return graph.file(network.name(), metadata, version);
}

} // namespace troupe
