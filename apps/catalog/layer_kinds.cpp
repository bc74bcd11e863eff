#include "apps/catalog/layer_kinds.hpp"

#include "base/config/decode.hpp"
#include "base/config/unknown_key.hpp"
#include "base/text/nearest_name.hpp"
#include "base/text/text.hpp"
#include "model/data/streams.hpp"
#include "model/layers/activations.hpp"
#include "model/layers/attention/multi_head_attention.hpp"
#include "model/layers/attention/position_embedding.hpp"
#include "model/layers/attention/transformer_block.hpp"
#include "model/layers/batch_norm.hpp"
#include "model/layers/convolution/convolution.hpp"
#include "model/layers/convolution/pooling.hpp"
#include "model/layers/dropout.hpp"
#include "model/layers/embedding.hpp"
#include "model/layers/flatten.hpp"
#include "model/layers/global_pooling.hpp"
#include "model/layers/layer_norm.hpp"
#include "model/layers/leaky_relu.hpp"
#include "model/layers/linear.hpp"
#include "model/layers/output.hpp"
#include "model/layers/recurrent/bidirectional.hpp"
#include "model/layers/recurrent/gru.hpp"
#include "model/layers/recurrent/lstm.hpp"
#include "model/layers/residual.hpp"
#include "model/layers/softmax.hpp"

#include <functional>
#include <stdexcept>

namespace troupe {

namespace {

using config::Node;
using LayerPointer = std::unique_ptr<Layer<float>>;

/// One kind of layer: its name, and how it is made. `options` is null if none are given.
struct LayerKind {
  std::string name;
  std::function<LayerPointer(const Node& options, const std::string& path, const DataSpec& data)>
    make;
};

struct LinearLayerOptions {
  Index outputs = 0;
  std::string initializer = "he_normal";
  FIELDS(outputs, initializer);
};

struct EmbeddingOptions {
  Index width = 64;
  Index vocabulary = 0; ///< 0: the number of tokens of the problem's first input
  double deviation = 1; ///< of the initial weights
  FIELDS(width, vocabulary, deviation);
};

struct PositionEmbeddingOptions {
  double deviation = 0.02; ///< of the initial weights
  FIELDS(deviation);
};

struct LayerNormOptions {
  double epsilon = 1e-5;
  FIELDS(epsilon);
};

/// For lstm and gru.
struct RecurrentLayerOptions {
  Index hidden = 128;
  bool last = false;          ///< as RecurrentOptions
  bool reverse = false;       ///< as RecurrentOptions
  bool bidirectional = false; ///< one layer in each direction, outputs concatenated
  bool carry = false;         ///< the state carries over to the next batch; see DataSpec::streams
  std::string initializer = "torch";
  FIELDS(hidden, last, reverse, bidirectional, carry, initializer);
};

/// @param main the option that a single value sets
template <class Options>
Options layer_options(const Node& given, const std::string& path, const std::string& main) {
  auto section = given;
  if (given.is_scalar()) {
    section = Node::map(given.source());
    section.put(main, given);
  }
  Options options;
  if (auto errors = config::decode(section, options, path); !errors.empty())
    throw ConfigError(errors);
  return options;
}

/// A kind whose constructor takes its options.
template <class Made, class Options>
LayerKind kind_of(std::string name, std::string main) {
  return {std::move(name),
          [main = std::move(main)](const Node& given, const std::string& path, const DataSpec&) {
            return LayerPointer{std::make_unique<Made>(layer_options<Options>(given, path, main))};
          }};
}

/// A kind without options.
template <class Make>
LayerKind kind_without_options(std::string name, Make make) {
  return {std::move(name),
          [make](const Node& given, const std::string& path, const DataSpec& data) {
            if (!given.is_null() && !(given.is_map() && given.entries().empty()))
              throw ConfigError(path + " (" + given.source() + ") has no options; write its name "
                                + "alone");
            return LayerPointer{make(data)};
          }};
}

LayerKind convolution_kind(std::string name, int dimensions) {
  return {std::move(name),
          [dimensions](const Node& given, const std::string& path, const DataSpec&) {
            return LayerPointer{std::make_unique<ConvolutionLayer<float>>(
              dimensions, layer_options<ConvolutionOptions>(given, path, "channels"))};
          }};
}

LayerPointer make_linear(const Node& given, const std::string& path, const DataSpec&) {
  const auto options = layer_options<LinearLayerOptions>(given, path, "outputs");
  return std::make_unique<LinearLayer<float>>(options.outputs, options.initializer);
}

LayerPointer make_embedding(const Node& given, const std::string& path, const DataSpec& data) {
  const auto options = layer_options<EmbeddingOptions>(given, path, "width");
  const auto vocabulary = options.vocabulary > 0 ? options.vocabulary : vocabulary_of(data, "");
  return std::make_unique<EmbeddingLayer<float>>(vocabulary, options.width, options.deviation);
}

template <class Made>
LayerPointer make_recurrent(const Node& given, const std::string& path, const DataSpec& data) {
  const auto o = layer_options<RecurrentLayerOptions>(given, path, "hidden");
  const RecurrentOptions options{o.last, o.reverse, o.initializer, o.carry ? streams_of(data) : 0};
  if (o.bidirectional)
    return std::make_unique<BidirectionalLayer<Made>>(o.hidden, options);
  return std::make_unique<Made>(o.hidden, options);
}

LayerPointer make_position_embedding(const Node& given, const std::string& path, const DataSpec&) {
  const auto options = layer_options<PositionEmbeddingOptions>(given, path, "deviation");
  return std::make_unique<PositionEmbeddingLayer<float>>(options.deviation);
}

LayerPointer make_layer_norm(const Node& given, const std::string& path, const DataSpec&) {
  const auto options = layer_options<LayerNormOptions>(given, path, "epsilon");
  return std::make_unique<LayerNormLayer<float>>(options.epsilon);
}

/// {residual: [inner layers]} or {residual: {layers: [...], shortcut: [...]}}
LayerPointer make_residual(const Node& given, const std::string& path, const DataSpec& data) {
  if (given.is_list() || given.is_null())
    return std::make_unique<ResidualLayer<float>>(make_layers(given, path, data));
  Chain<float>::Layers inner, shortcut;
  for (const auto& [key, value] : given.entries())
    if (key == "layers")
      inner = make_layers(value, path + ".layers", data);
    else if (key == "shortcut")
      shortcut = make_layers(value, path + ".shortcut", data);
    else
      throw ConfigError(config::unknown_key(key, path, value.source(), {"layers", "shortcut"}));
  return std::make_unique<ResidualLayer<float>>(std::move(inner), std::move(shortcut));
}

const std::vector<LayerKind>& layer_kinds() {
  static const auto kinds = [] {
    std::vector<LayerKind> all{
      {"linear", make_linear},
      kind_without_options("output",
                           [](const DataSpec& data) {
                             return std::make_unique<OutputLayer<float>>(prediction_shape(data));
                           }),
      convolution_kind("conv1d", 1),
      convolution_kind("conv2d", 2),
      kind_of<MaxPoolingLayer<float>, PoolingOptions>("max_pooling", "size"),
      kind_of<AveragePoolingLayer<float>, PoolingOptions>("average_pooling", "size"),
      kind_without_options(
        "global_pooling",
        [](const DataSpec&) { return std::make_unique<GlobalPoolingLayer<float>>(); }),
      kind_without_options("flatten",
                           [](const DataSpec&) { return std::make_unique<FlattenLayer<float>>(); }),
      kind_of<BatchNormLayer<float>, BatchNormOptions>("batch_norm", "momentum"),
      kind_of<DropoutLayer<float>, DropoutOptions>("dropout", "rate"),
      {"residual", make_residual},
      {"embedding", make_embedding},
      {"position_embedding", make_position_embedding},
      {"lstm", make_recurrent<LstmLayer<float>>},
      {"gru", make_recurrent<GruLayer<float>>},
      kind_of<MultiHeadAttentionLayer<float>, AttentionOptions>("multi_head_attention", "heads"),
      kind_of<TransformerBlock<float>, TransformerOptions>("transformer_block", "heads"),
      {"layer_norm", make_layer_norm},
      kind_of<LeakyReluLayer<float>, LeakyReluOptions>("leaky_relu", "slope"),
      kind_without_options("softmax",
                           [](const DataSpec&) { return std::make_unique<SoftmaxLayer<float>>(); }),
    };
    for (const auto& name : activation_names())
      if (name != "leaky_relu") // it has an option, see above
        all.push_back(kind_without_options(
          name, [name](const DataSpec&) { return make_activation<float>(name); }));
    return all;
  }();
  return kinds;
}

LayerPointer make_layer(const Node& entry, const std::string& path, const DataSpec& data) {
  const auto named = entry.is_map() && entry.entries().size() == 1;
  if (!entry.is_scalar() && !named)
    throw ConfigError(path + " (" + entry.source() + ") is " + config::shown(entry)
                      + "; give a kind of layer like relu, or one with its options like {linear: "
                        "120}");
  const auto name = named ? entry.entries().front().key : entry.text();
  for (const auto& kind : layer_kinds())
    if (kind.name == name) {
      const auto here = path + "." + name;
      try {
        return kind.make(named ? entry.entries().front().value : Node{}, here, data);
      } catch (const std::invalid_argument& e) {
        throw ConfigError(here + " (" + entry.source() + "): " + e.what());
      }
    }
  const auto names = layer_kind_names();
  const auto near = nearest_name(name, names);
  throw ConfigError(path + " is '" + name + "' (" + entry.source()
                    + "), which is not a kind of layer; "
                    + (near ? "did you mean '" + *near + "'? " : "") + "known: " + joined(names));
}

} // namespace

Chain<float>::Layers make_layers(const Node& list, const std::string& path, const DataSpec& data) {
  if (!list.is_list() || list.items().empty())
    throw ConfigError(path + " (" + list.source() + ") is "
                      + (list.is_list() ? "empty" : config::shown(list))
                      + "; give a list of layers like [flatten, {linear: 120}, relu, output]");
  Chain<float>::Layers layers;
  for (const auto& entry : list.items())
    layers.push_back(make_layer(entry, path + "[" + std::to_string(layers.size()) + "]", data));
  return layers;
}

std::vector<std::string> layer_kind_names() {
  std::vector<std::string> names;
  for (const auto& kind : layer_kinds())
    names.push_back(kind.name);
  return names;
}

} // namespace troupe
