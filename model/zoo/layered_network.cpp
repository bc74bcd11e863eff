#include "model/zoo/layered_network.hpp"

#include "base/config/unknown_key.hpp"
#include "model/data/streams.hpp"
#include "model/zoo/network_kind.hpp"

namespace troupe {

LayerData layer_data(const DataSpec& data) {
  return {[&data] { return prediction_shape(data); }, [&data] { return vocabulary_of(data, ""); },
          [&data] { return streams_of(data); }};
}

Chain<float>::Layers make_layers(const config::Node& list, const std::string& path,
                                 const DataSpec& data) {
  return make_layers(list, path, layer_data(data));
}

namespace {

using config::Node;

Node layered_defaults() {
  auto defaults = Node::map();
  defaults.put("layers", Node::list());
  return with_basics(std::move(defaults));
}

std::unique_ptr<Model> make_layered(const Node& section, const std::string& path,
                                    const DataSpec& data) {
  auto others = section;
  const auto basics = take_basics(others, path);
  for (const auto& [key, value] : others.entries())
    if (key != "name" && key != "layers")
      throw ConfigError(config::unknown_key(key, path, value.source(), layered_defaults().keys()));
  const auto* layers = section.find("layers");
  return std::make_unique<Network>(make_layers(layers ? *layers : Node{}, path + ".layers", data),
                                   data, basics);
}

const RegisterModel layered_network_kind{ModelKind{"network", layered_defaults, make_layered}};

} // namespace

} // namespace troupe
