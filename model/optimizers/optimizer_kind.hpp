// The optimizers that a configuration can name; each is registered in its own file.
//
//   const RegisterOptimizer rmsprop_kind{optimizer_kind<RmsProp, RmsPropOptions>("rmsprop")};
//
// From there on a configuration can say `optimizer: {name: rmsprop, learning_rate: 1e-3}`.
#pragma once

#include "base/config/component_kind.hpp"
#include "base/registry.hpp"
#include "model/optimizers/optimizer.hpp"

#include <functional>
#include <memory>
#include <string>
#include <utility>

namespace troupe {

/// Makes the optimizer of each trainer, for a block of `size` parameters.
using OptimizerFactory = std::function<std::unique_ptr<Optimizer>(Index size)>;
/// Makes an optimizer from its section, once for each block of parameters.
using OptimizerKind = ComponentKind<OptimizerFactory>;

/// All that are linked or loaded, by name.
template <>
Registry<OptimizerKind>& registry_of();
/// The same, to look up.
inline const Registry<OptimizerKind>& optimizer_kinds() { return registry_of<OptimizerKind>(); }

/// Makes an optimizer known to configurations; one of namespace scope in the optimizer's own file.
using RegisterOptimizer = Registration<OptimizerKind>;

/// An optimizer whose constructor takes its options and the size of the block.
template <class Made, HasFields Options>
OptimizerKind optimizer_kind(std::string name, Options defaults = {}) {
  return {
    std::move(name), [defaults] { return config::encode(defaults); },
    [defaults](const config::Node& section, const std::string& path) -> OptimizerFactory {
      const auto options = options_of<Options>(section, path, defaults);
      [[maybe_unused]] const Made refuses_what_cannot_be{options, 1}; // before anything is spawned
      return [options](Index size) { return std::make_unique<Made>(options, size); };
    }};
}

} // namespace troupe
