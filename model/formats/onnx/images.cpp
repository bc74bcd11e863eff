// Layers with sliding windows over images and sequences.
#include "model/formats/onnx/layer_writer.hpp"
#include "model/layers/convolution/convolution.hpp"
#include "model/layers/convolution/pooling.hpp"

#include <numeric>

namespace troupe {

namespace {

using Sizes = std::vector<std::int64_t>;

/// Transposes [places, inputs, outputs] to [outputs, inputs, places].
std::vector<float> outputs_first(std::span<const float> weight, Index inputs, Index outputs) {
  const auto places = static_cast<Index>(weight.size()) / (inputs * outputs);
  std::vector<float> transposed(weight.size());
  for (Index p = 0; p < places; ++p)
    for (Index i = 0; i < inputs; ++i)
      for (Index o = 0; o < outputs; ++o)
        transposed[(o * inputs + i) * places + p] = weight[(p * inputs + i) * outputs + o];
  return transposed;
}

/// x as [any, channels, ...]; a single channel may be omitted.
OnnxValue image(OnnxWriter& writer, const OnnxStage& stage, int dimensions) {
  auto& graph = writer.graph;
  if (static_cast<int>(stage.x.shape.size()) == dimensions + 2)
    return graph.channels_first(stage.x);
  auto x = graph.channels_last(stage.x);
  const auto axis = graph.constant(stage.name + ".channel", {1}, Sizes{1});
  x.name = graph.node("Unsqueeze", stage.name, {x.name, axis});
  x.shape.push_back(1);
  x.channels_first = true;
  return x;
}

OnnxValue write_pooling(const std::string& op, OnnxWriter& writer, const OnnxStage& stage) {
  const auto& o = dynamic_cast<const PoolingLayer<float>&>(stage.layer).options();
  const auto dimensions = stage.x.shape.size() - 2;
  auto y = writer.graph.each(op, stage.name, writer.graph.channels_first(stage.x), {},
                             {{"kernel_shape", Sizes(dimensions, o.size)},
                              {"strides", Sizes(dimensions, o.stride > 0 ? o.stride : o.size)},
                              {"pads", Sizes(2 * dimensions, o.padding)}});
  y.shape = stage.output;
  return y;
}

} // namespace

OnnxValue write_convolution(OnnxWriter& writer, const OnnxStage& stage) {
  const auto& layer = dynamic_cast<const ConvolutionLayer<float>&>(stage.layer);
  const auto& o = layer.options();
  const auto dimensions = layer.dimensions();
  const auto axes = static_cast<std::size_t>(dimensions);
  const auto weight = stage.name + ".weight";
  const auto inputs = writer.shape(weight)[axes];
  Shape transposed{o.channels, inputs};
  transposed.insert(transposed.end(), axes, o.kernel);
  writer.graph.constant(weight, transposed,
                        outputs_first(writer.values(weight), inputs, o.channels));
  auto y = writer.graph.each("Conv", stage.name, image(writer, stage, dimensions),
                             {weight, writer.add(stage.name + ".bias")},
                             {{"kernel_shape", Sizes(axes, o.kernel)},
                              {"strides", Sizes(axes, o.stride)},
                              {"pads", Sizes(2 * axes, o.padding)},
                              {"dilations", Sizes(axes, o.dilation)},
                              {"group", o.groups}});
  y.shape = stage.output;
  return y;
}

OnnxValue write_max_pooling(OnnxWriter& writer, const OnnxStage& stage) {
  return write_pooling("MaxPool", writer, stage);
}

OnnxValue write_average_pooling(OnnxWriter& writer, const OnnxStage& stage) {
  return write_pooling("AveragePool", writer, stage); // which excludes padding, as here
}

OnnxValue write_global_pooling(OnnxWriter& writer, const OnnxStage& stage) {
  Sizes places(stage.x.shape.size() - 2);
  std::iota(places.begin(), places.end(), stage.x.channels_first ? 2 : 1);
  return {writer.graph.node("ReduceMean", stage.name, {stage.x.name},
                            {{"axes", places}, {"keepdims", std::int64_t{0}}}),
          stage.output};
}

} // namespace troupe
