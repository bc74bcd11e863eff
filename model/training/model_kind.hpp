// The models that a configuration can name; each is registered in its own file.
//
//   const RegisterModel perceptron_kind{model_kind<Network, NetworkOptions>("mlp")};
//
// From there on a configuration can say `model: {name: mlp, hidden: [64]}`.
#pragma once

#include "base/config/component_kind.hpp"
#include "base/registry.hpp"
#include "model/training/model.hpp"

#include <memory>
#include <string>
#include <utility>

namespace troupe {

/// Made for the data of a problem.
using ModelKind = ComponentKind<std::unique_ptr<Model>, const DataSpec&>;

/// All that are linked or loaded, by name.
template <>
Registry<ModelKind>& registry_of();
/// The same, to look up.
inline const Registry<ModelKind>& model_kinds() { return registry_of<ModelKind>(); }

/// Makes a model known to configurations; one of namespace scope in the model's own file.
using RegisterModel = Registration<ModelKind>;

/// A model whose constructor takes the data that it is for, and its options.
template <class Made, HasFields Options>
ModelKind model_kind(std::string name, Options defaults = {}) {
  return {std::move(name), [defaults] { return config::encode(defaults); },
          [defaults](const config::Node& section, const std::string& path,
                     const DataSpec& data) -> std::unique_ptr<Model> {
            return std::make_unique<Made>(data, options_of<Options>(section, path, defaults));
          }};
}

} // namespace troupe
