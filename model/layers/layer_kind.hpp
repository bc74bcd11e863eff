// The layers that a configuration can name; each is registered in its own file.
//
//   layers: [{conv2d: {channels: 6, kernel: 5}}, relu, {max_pooling: 2}, flatten, {linear: 120}]
//
// An entry is a kind, or a map from a kind to its options; a single value sets the main option.
#pragma once

#include "base/config/decode.hpp"
#include "base/registry.hpp"
#include "model/layers/layer.hpp"

#include <functional>
#include <memory>
#include <string>
#include <utility>
#include <vector>

namespace troupe {

/// What a layer may ask of the data that its network is for. Each throws std::invalid_argument
/// where the data do not say.
struct LayerData {
  std::function<Shape()> prediction; ///< the shape of the prediction
  std::function<Index()> tokens;     ///< how many the first input has
  std::function<Index()> streams;    ///< how many sequences of a batch go on in the next one
};

/// One kind of layer: what it is called, and how it is made. `options` is null if none are
/// given.
struct LayerKind {
  std::string name; ///< as configurations call it: "conv2d"
  /// @throws ConfigError, std::invalid_argument for options that cannot be. `path`: where they lie.
  std::function<std::unique_ptr<Layer<float>>(const config::Node& options, const std::string& path,
                                              const LayerData& data)>
    make;
  /// Its options, as a map; empty: none, or they are no map.
  std::function<config::Node()> defaults = [] { return config::Node::map(); };
};

/// All that are linked or loaded, by name.
template <>
Registry<LayerKind>& registry_of();
/// The same, to look up.
inline const Registry<LayerKind>& layer_kinds() { return registry_of<LayerKind>(); }

/// Makes a layer known to configurations; one of namespace scope in the layer's own file.
using RegisterLayer = Registration<LayerKind>;

/// @param main the option that a single value sets
/// @throws ConfigError
template <HasFields Options>
Options layer_options(const config::Node& given, const std::string& path, const std::string& main) {
  auto section = given;
  if (given.is_scalar()) {
    section = config::Node::map(given.source());
    section.put(main, given);
  }
  return config::options_from<Options>(section, path);
}

/// A layer whose constructor takes its options.
template <class Made, HasFields Options>
LayerKind layer_kind(std::string name, std::string main) {
  return {std::move(name),
          [main = std::move(main)](const config::Node& given, const std::string& path,
                                   const LayerData&) -> std::unique_ptr<Layer<float>> {
            return std::make_unique<Made>(layer_options<Options>(given, path, main));
          },
          [] { return config::encode(Options{}); }};
}

/// @throws ConfigError if options are given to a kind that has none.
void refuse_layer_options(const config::Node& given, const std::string& path);

/// A layer without options.
template <class Made>
LayerKind layer_kind(std::string name) {
  return {std::move(name),
          [](const config::Node& given, const std::string& path,
             const LayerData&) -> std::unique_ptr<Layer<float>> {
            refuse_layer_options(given, path);
            return std::make_unique<Made>();
          }};
}

/// Makes the layers of a list.
/// @param path of the list, for error messages, e.g. "model.layers"
/// @throws ConfigError that names the entry, for an unknown kind (with the nearest known one) or
/// invalid options.
std::vector<std::unique_ptr<Layer<float>>>
make_layers(const config::Node& list, const std::string& path, const LayerData& data);

} // namespace troupe
