// Registering a network of the zoo: its own options, and those that every network has.
#pragma once

#include "model/training/model_kind.hpp"
#include "model/zoo/network.hpp"

#include <string>
#include <utility>

namespace troupe {

/// The options that every network has; takes them out of `section`. @throws ConfigError
NetworkBasics take_basics(config::Node& section, const std::string& path);

/// The defaults of a network's own options, and those that every network has.
config::Node with_basics(config::Node defaults);

/// @param make `make(data, options, basics)`
template <HasFields Options, class Make>
ModelKind network_kind(std::string name, Make make) {
  return {std::move(name), [] { return with_basics(config::encode(Options{})); },
          [make](const config::Node& section, const std::string& path,
                 const DataSpec& data) -> std::unique_ptr<Model> {
            auto others = section;
            const auto basics = take_basics(others, path);
            return make(data, options_of<Options>(others, path), basics);
          }};
}

} // namespace troupe
