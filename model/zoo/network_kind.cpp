#include "model/zoo/network_kind.hpp"

namespace troupe {

using config::Node;

NetworkBasics take_basics(Node& section, const std::string& path) {
  auto basics = Node::map(section.source());
  for (const auto& key : config::encode(NetworkBasics{}).keys())
    if (const auto* value = section.find(key)) {
      basics.put(key, *value);
      section.erase(key);
    }
  return config::options_from<NetworkBasics>(basics, path);
}

Node with_basics(Node defaults) {
  const auto basics = config::encode(NetworkBasics{});
  for (const auto& [key, value] : basics.entries())
    defaults.put(key, value);
  return defaults;
}

} // namespace troupe
