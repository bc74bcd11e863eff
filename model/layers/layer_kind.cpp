#include "model/layers/layer_kind.hpp"

#include "base/text/nearest_name.hpp"
#include "base/text/text.hpp"

#include <stdexcept>

namespace troupe {

namespace {

using config::Node;

std::unique_ptr<Layer<float>> make_layer(const Node& entry, const std::string& path,
                                         const LayerData& data) {
  const auto named = entry.is_map() && entry.entries().size() == 1;
  if (!entry.is_scalar() && !named)
    throw ConfigError(path + " (" + entry.source() + ") is " + config::shown(entry)
                      + "; give a kind of layer like relu, or one with its options like {linear: "
                        "120}");
  const auto name = named ? entry.entries().front().key : entry.text();
  const auto* kind = layer_kinds().find(name);
  if (kind == nullptr) {
    const auto names = layer_kinds().names();
    throw ConfigError(path + " is '" + name + "' (" + entry.source()
                      + "), which is not a kind of layer"
                      + suggestion(name, names, "known: " + joined(names)));
  }
  const auto here = path + "." + name;
  try {
    return kind->make(named ? entry.entries().front().value : Node{}, here, data);
  } catch (const std::invalid_argument& e) {
    throw ConfigError(here + " (" + entry.source() + "): " + e.what());
  }
}

} // namespace

template <>
Registry<LayerKind>& registry_of() {
  static Registry<LayerKind> kinds; // there before any file registers its own
  return kinds;
}

void refuse_layer_options(const Node& given, const std::string& path) {
  if (!given.is_null() && !(given.is_map() && given.entries().empty()))
    throw ConfigError(path + " (" + given.source() + ") has no options; write its name alone");
}

std::vector<std::unique_ptr<Layer<float>>> make_layers(const Node& list, const std::string& path,
                                                       const LayerData& data) {
  if (!list.is_list() || list.items().empty())
    throw ConfigError(path + " (" + list.source() + ") is "
                      + (list.is_list() ? "empty" : config::shown(list))
                      + "; give a list of layers like [flatten, {linear: 120}, relu, output]");
  std::vector<std::unique_ptr<Layer<float>>> layers;
  for (const auto& entry : list.items())
    layers.push_back(make_layer(entry, path + "[" + std::to_string(layers.size()) + "]", data));
  return layers;
}

} // namespace troupe
