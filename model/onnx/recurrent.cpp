// Recurrent layers. ONNX's have their sequences as [length, batch, inputs], weights as [directions,
// gates * hidden, inputs], and their gates in another order.
#include "troupe/model/layers/recurrent.hpp"

#include "troupe/model/onnx/layer_writer.hpp"

namespace troupe {

namespace {

using Gates = std::vector<Index>; ///< of each of ONNX's gates, its number here

/// [inputs, gates * hidden] as [gates * hidden, inputs], gate by gate in ONNX's order.
std::vector<float> gates_first(std::span<const float> weight, Index hidden, const Gates& order) {
  const auto width = hidden * static_cast<Index>(order.size());
  const auto inputs = static_cast<Index>(weight.size()) / width;
  std::vector<float> turned;
  turned.reserve(weight.size());
  for (const auto gate : order)
    for (Index unit = gate * hidden; unit < (gate + 1) * hidden; ++unit)
      for (Index input = 0; input < inputs; ++input)
        turned.push_back(weight[input * width + unit]);
  return turned;
}

/// Adds W, R and B. @param hidden_bias of h U, gates * hidden numbers in ONNX's order
std::vector<std::string> add_weights(OnnxWriter& writer, const std::string& name,
                                     const Gates& order, std::span<const float> hidden_bias) {
  const auto hidden = writer.shape(name + ".hidden_weight").front();
  const auto width = hidden * static_cast<Index>(order.size());
  const auto inputs = writer.shape(name + ".weight").front();
  auto biases = gates_first(writer.values(name + ".bias"), hidden, order);
  biases.insert(biases.end(), hidden_bias.begin(), hidden_bias.end());
  const auto add = [&](const std::string& parameter, Index size) {
    return writer.graph.constant(parameter, {1, width, size},
                                 gates_first(writer.values(parameter), hidden, order));
  };
  return {add(name + ".weight", inputs), add(name + ".hidden_weight", hidden),
          writer.graph.constant(name + ".bias", {1, 2 * width}, biases)};
}

/// @param weights W, R and B
OnnxValue write_recurrent(const std::string& op, OnnxWriter& writer, const OnnxStage& stage,
                          const std::vector<std::string>& weights, OnnxAttributes attributes) {
  auto& graph = writer.graph;
  const auto& options = dynamic_cast<const RecurrentLayer<float>&>(stage.layer).options();
  using Order = std::vector<std::int64_t>;
  const auto x = graph.channels_last(stage.x);
  const auto steps = graph.node("Transpose", stage.name, {x.name}, {{"perm", Order{1, 0, 2}}});
  attributes.emplace_back("hidden_size", writer.shape(stage.name + ".hidden_weight").front());
  if (options.reverse)
    attributes.emplace_back("direction", std::string{"reverse"});
  const auto states
    = graph.node(op, stage.name, {steps, weights[0], weights[1], weights[2]}, attributes, 2);
  const auto direction
    = graph.constant(stage.name + ".direction", {1}, Order{options.last ? 0 : 1});
  const auto state = graph.node("Squeeze", stage.name, {states[options.last ? 1 : 0], direction});
  return {options.last ? state
                       : graph.node("Transpose", stage.name, {state}, {{"perm", Order{1, 0, 2}}}),
          stage.output};
}

} // namespace

OnnxValue write_lstm(OnnxWriter& writer, const OnnxStage& stage) {
  const Gates order{0, 3, 1, 2}; // i, o, f, c of ONNX among i, f, g, o
  const std::vector<float> none(writer.values(stage.name + ".bias").size());
  return write_recurrent("LSTM", writer, stage, add_weights(writer, stage.name, order, none), {});
}

OnnxValue write_gru(OnnxWriter& writer, const OnnxStage& stage) {
  const Gates order{1, 0, 2}; // z, r, h of ONNX among r, z, n
  const auto bias = writer.values(stage.name + ".hidden_bias");
  std::vector<float> of_gates(2 * bias.size());
  of_gates.insert(of_gates.end(), bias.begin(), bias.end());
  return write_recurrent("GRU", writer, stage, add_weights(writer, stage.name, order, of_gates),
                         {{"linear_before_reset", std::int64_t{1}}});
}

} // namespace troupe
