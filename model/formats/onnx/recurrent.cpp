// Recurrent layers. In ONNX sequences are [length, batch, inputs], weights are [directions, gates *
// hidden, inputs], and the gates are in another order.
#include "model/layers/recurrent/recurrent.hpp"

#include "model/formats/onnx/layer_writer.hpp"

#include <algorithm>

namespace troupe {

namespace {

using Gates = std::vector<Index>; ///< for each gate of ONNX, its index in Troupe

/// Transposes [inputs, gates * hidden] to [gates * hidden, inputs], with gates in ONNX's order.
std::vector<float> gates_first(std::span<const float> weight, Index hidden, const Gates& order) {
  const auto width = hidden * static_cast<Index>(order.size());
  const auto inputs = static_cast<Index>(weight.size()) / width;
  std::vector<float> transposed;
  transposed.reserve(weight.size());
  for (const auto gate : order)
    for (Index unit = gate * hidden; unit < (gate + 1) * hidden; ++unit)
      for (Index input = 0; input < inputs; ++input)
        transposed.push_back(weight[input * width + unit]);
  return transposed;
}

/// The differences between the kinds of recurrent layers.
struct RecurrentKind {
  const char* op;
  Gates order;
  bool has_hidden_bias; ///< of the last gate
  OnnxAttributes attributes;
};

/// Prefixes of the parameters' names for each direction.
std::vector<std::string> directions_of(const OnnxStage& stage, bool both) {
  return both ? std::vector{stage.name + ".forward", stage.name + ".backward"}
              : std::vector{stage.name};
}

/// For one direction: the bias of x W, then that of h U, gate by gate.
std::vector<float> biases(const OnnxWriter& writer, const std::string& name, Index hidden,
                          const RecurrentKind& kind) {
  auto all = gates_first(writer.values(name + ".bias"), hidden, kind.order);
  all.resize(2 * all.size());
  if (kind.has_hidden_bias) {
    const auto bias = writer.values(name + ".hidden_bias");
    std::copy(bias.begin(), bias.end(), all.end() - hidden);
  }
  return all;
}

/// Adds W, R and B. @returns their names
std::vector<std::string> add_weights(OnnxWriter& writer, const std::string& name,
                                     const std::vector<std::string>& directions,
                                     const RecurrentKind& kind) {
  const auto hidden = writer.shape(directions[0] + ".hidden_weight").front();
  const auto inputs = writer.shape(directions[0] + ".weight").front();
  const auto width = hidden * static_cast<Index>(kind.order.size());
  const auto count = static_cast<Index>(directions.size());
  std::vector<float> w, r, b;
  const auto append = [](std::vector<float>& all, const std::vector<float>& more) {
    all.insert(all.end(), more.begin(), more.end());
  };
  for (const auto& direction : directions) {
    append(w, gates_first(writer.values(direction + ".weight"), hidden, kind.order));
    append(r, gates_first(writer.values(direction + ".hidden_weight"), hidden, kind.order));
    append(b, biases(writer, direction, hidden, kind));
  }
  auto& graph = writer.graph;
  return {graph.constant(name + ".weight", {count, width, inputs}, w),
          graph.constant(name + ".hidden_weight", {count, width, hidden}, r),
          graph.constant(name + ".bias", {count, 2 * width}, b)};
}

OnnxValue write_recurrent(OnnxWriter& writer, const OnnxStage& stage, const RecurrentKind& kind) {
  auto& graph = writer.graph;
  const auto& name = stage.name;
  const auto* one = dynamic_cast<const RecurrentLayer<float>*>(&stage.layer); // null for a
                                                                              // bidirectional layer
  const auto directions = directions_of(stage, one == nullptr);
  const auto last = stage.output.size() == 2;
  using Order = std::vector<std::int64_t>;
  const auto x = graph.channels_last(stage.x);
  std::vector<std::string> inputs{
    graph.node("Transpose", name, {x.name}, {{"perm", Order{1, 0, 2}}})};
  for (auto& weights : add_weights(writer, name, directions, kind))
    inputs.push_back(std::move(weights));
  if (writer.padding())
    inputs.push_back(writer.padding()->lengths);
  auto attributes = kind.attributes;
  attributes.emplace_back("hidden_size", writer.shape(directions[0] + ".hidden_weight").front());
  if (one == nullptr || one->options().reverse)
    attributes.emplace_back("direction", std::string{one == nullptr ? "bidirectional" : "reverse"});
  const auto states = graph.node(kind.op, name, inputs, attributes, 2);
  // [length, directions, batch, hidden], or the last ones, [directions, batch, hidden]
  const auto order = last ? Order{1, 0, 2} : Order{2, 0, 1, 3};
  const auto transposed = graph.node("Transpose", name, {states[last ? 1 : 0]}, {{"perm", order}});
  return graph.reshaped(name, {transposed, stage.output}, stage.output);
}

} // namespace

OnnxValue write_lstm(OnnxWriter& writer, const OnnxStage& stage) {
  // i, o, f, c of ONNX among i, f, g, o
  return write_recurrent(writer, stage, {"LSTM", {0, 3, 1, 2}, false, {}});
}

OnnxValue write_gru(OnnxWriter& writer, const OnnxStage& stage) {
  // z, r, h of ONNX among r, z, n
  return write_recurrent(writer, stage,
                         {"GRU", {1, 0, 2}, true, {{"linear_before_reset", std::int64_t{1}}}});
}

} // namespace troupe
